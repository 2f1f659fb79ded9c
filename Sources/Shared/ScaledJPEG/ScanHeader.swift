/// What a scan header (SOS) says, and where its bits begin.
struct ScanHeader: Equatable {
    let components: [ScanComponent]
    /// First and last coefficient in zig-zag order; 0 and 63 in a sequential scan.
    let firstCoefficient: Int
    let lastCoefficient: Int
    /// Successive approximation: the bit position of the scan before (0 = first), and of this one.
    let highBit: Int
    let lowBit: Int
    /// In MCUs; 0 = none.
    let restartInterval: Int
    /// Position of the first entropy-coded byte.
    let dataStart: Int

    /// A scan of one component has its blocks in rows, without the padding to whole MCUs.
    var isInterleaved: Bool { components.count > 1 }
    var isDC: Bool { firstCoefficient == 0 }
    var isRefinement: Bool { highBit > 0 }
}

struct ScanComponent: Equatable {
    /// Index into the frame's components.
    let index: Int
    /// Huffman tables, 0…3.
    let dcTable: Int
    let acTable: Int
}

extension ScanHeader {
    /// - Parameter payload: the segment's bytes behind its length.
    init(
        _ payload: Span<UInt8>, of frame: FrameHeader, restartInterval: Int, dataStart: Int
    ) throws(Declined) {
        let fault = Declined.suspect(.scan, offset: dataStart)
        let count = payload.count > 0 ? Int(payload[0]) : 0
        guard (1...frame.components.count).contains(count), payload.count == 4 + 2 * count else {
            throw fault
        }
        var components: [ScanComponent] = []
        for number in 0..<count {
            let id = payload[1 + 2 * number]
            let (dc, ac) = (Int(payload[2 + 2 * number] >> 4), Int(payload[2 + 2 * number] & 15))
            // The standard wants the frame's order, so that each component comes once.
            guard let index = frame.components.firstIndex(where: { $0.id == id }), dc < 4, ac < 4,
                index > components.last?.index ?? -1
            else { throw fault }
            components.append(ScanComponent(index: index, dcTable: dc, acTable: ac))
        }
        self.components = components
        firstCoefficient = Int(payload[1 + 2 * count])
        lastCoefficient = Int(payload[2 + 2 * count])
        highBit = Int(payload[3 + 2 * count] >> 4)
        lowBit = Int(payload[3 + 2 * count] & 15)
        self.restartInterval = restartInterval
        self.dataStart = dataStart
        if frame.isProgressive {
            let isSound =
                firstCoefficient == 0
                ? lastCoefficient == 0
                : count == 1 && firstCoefficient <= lastCoefficient && lastCoefficient < 64
            guard isSound, lowBit <= 13, highBit == 0 || highBit == lowBit + 1 else { throw fault }
        } else {
            guard (firstCoefficient, lastCoefficient, highBit, lowBit) == (0, 63, 0, 0) else { throw fault }
        }
    }
}
