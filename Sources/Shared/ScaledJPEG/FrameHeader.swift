/// The frame of a file that this decoder takes: 8 bits, Huffman, grey or three components.
struct FrameHeader: Equatable {
    let width: Int
    let height: Int
    let isProgressive: Bool
    /// One or three, in the frame's order.
    let components: [FrameComponent]
    /// The largest sampling factors.
    let maximumH: Int
    let maximumV: Int
    /// Minimum coded units of an interleaved scan.
    let mcuColumns: Int
    let mcuRows: Int

    /// The longest side that libjpeg decodes.
    static let largestSide = 65500
    /// Blocks that an MCU may have; the standard's limit for interleaved scans.
    static let mostBlocksPerMCU = 10
}

extension FrameHeader {
    /// - Parameter payload: the segment's bytes behind its length.
    init(marker: UInt8, _ payload: Span<UInt8>, offset: Int) throws(Declined) {
        // C0 baseline and C1 extended differ in limits only; C2 is progressive.
        guard marker <= 0xC2 else { throw .unusual(.process) }
        let fault = Declined.suspect(.frame, offset: offset)
        guard payload.count >= 6 else { throw fault }
        guard payload[0] == 8 else { throw .unusual(.precision) }
        let count = Int(payload[5])
        guard count == 1 || count == 3 else { throw .unusual(.components) }
        guard payload.count == 6 + 3 * count else { throw fault }
        var entries: [Entry] = []
        for index in 0..<count {
            let (id, factors) = (payload[6 + 3 * index], payload[7 + 3 * index])
            let table = Int(payload[8 + 3 * index])
            guard table < 4, !entries.contains(where: { $0.id == id }) else { throw fault }
            entries.append(Entry(id: id, h: Int(factors >> 4), v: Int(factors & 15), quantisation: table))
        }
        try self.init(
            width: payload.bigEndian16(at: 3), height: payload.bigEndian16(at: 1),
            isProgressive: marker == 0xC2, entries, offset: offset)
    }

    /// What a frame header says of one component.
    struct Entry {
        let id: UInt8
        let h: Int
        let v: Int
        let quantisation: Int
    }

    /// - Parameters:
    ///   - entries: one or three.
    ///   - offset: where the header stands in the file, for the errors.
    init(
        width: Int, height: Int, isProgressive: Bool, _ entries: [Entry], offset: Int = 0
    ) throws(Declined) {
        guard width > 0 else { throw .suspect(.frame, offset: offset) }
        guard height > 0 else { throw .unusual(.layout) }
        guard width <= Self.largestSide, height <= Self.largestSide else { throw .unusual(.size) }
        guard entries.allSatisfy({ (1...4).contains($0.h) && (1...4).contains($0.v) }) else {
            throw .suspect(.frame, offset: offset)
        }
        let (maximumH, maximumV) = (entries.map(\.h).max() ?? 1, entries.map(\.v).max() ?? 1)
        guard entries.allSatisfy({ maximumH % $0.h == 0 && maximumV % $0.v == 0 }),
            entries.map({ $0.h * $0.v }).reduce(0, +) <= Self.mostBlocksPerMCU
        else { throw .unusual(.sampling) }
        let mcuColumns = width.dividedRoundingUp(by: 8 * maximumH)
        let mcuRows = height.dividedRoundingUp(by: 8 * maximumV)
        self.init(
            width: width, height: height, isProgressive: isProgressive,
            components: entries.map { entry in
                FrameComponent(
                    id: entry.id, h: entry.h, v: entry.v, quantisation: entry.quantisation,
                    blockColumns: (width * entry.h).dividedRoundingUp(by: 8 * maximumH),
                    blockRows: (height * entry.v).dividedRoundingUp(by: 8 * maximumV),
                    storedColumns: mcuColumns * entry.h, storedRows: mcuRows * entry.v)
            },
            maximumH: maximumH, maximumV: maximumV, mcuColumns: mcuColumns, mcuRows: mcuRows)
    }
}

/// One component of a frame.
struct FrameComponent: Equatable {
    let id: UInt8
    /// Horizontal and vertical sampling factors, 1…4.
    let h: Int
    let v: Int
    /// Which quantisation table, 0…3.
    let quantisation: Int
    /// Blocks that hold picture: what a scan of this component alone has.
    let blockColumns: Int
    let blockRows: Int
    /// Blocks rounded up to whole MCUs: what an interleaved scan has.
    let storedColumns: Int
    let storedRows: Int
}

extension Int {
    func dividedRoundingUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}

extension Span<UInt8> {
    func bigEndian16(at index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }
}
