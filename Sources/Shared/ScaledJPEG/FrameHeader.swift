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

    /// - Parameter payload: the segment's bytes behind its length.
    init(marker: UInt8, _ payload: Span<UInt8>, offset: Int) throws(Declined) {
        // C0 baseline and C1 extended differ in limits only; C2 is progressive.
        guard marker <= 0xC2 else { throw .unusual(.process) }
        guard payload.count >= 6 else { throw .suspect(.frame, offset: offset) }
        guard payload[0] == 8 else { throw .unusual(.precision) }
        height = payload.bigEndian16(at: 1)
        width = payload.bigEndian16(at: 3)
        let count = Int(payload[5])
        guard count == 1 || count == 3 else { throw .unusual(.components) }
        guard payload.count == 6 + 3 * count, width > 0 else { throw .suspect(.frame, offset: offset) }
        guard height > 0 else { throw .unusual(.layout) }
        guard width <= Self.largestSide, height <= Self.largestSide else { throw .unusual(.sampling) }
        isProgressive = marker == 0xC2

        let factors = (0..<count).map { payload[7 + 3 * $0] }.map { (h: Int($0 >> 4), v: Int($0 & 15)) }
        guard factors.allSatisfy({ (1...4).contains($0.h) && (1...4).contains($0.v) }) else {
            throw .suspect(.frame, offset: offset)
        }
        let (maximumH, maximumV) = (factors.map(\.h).max() ?? 1, factors.map(\.v).max() ?? 1)
        guard factors.allSatisfy({ maximumH % $0.h == 0 && maximumV % $0.v == 0 }),
            factors.map({ $0.h * $0.v }).reduce(0, +) <= Self.mostBlocksPerMCU
        else { throw .unusual(.sampling) }
        self.maximumH = maximumH
        self.maximumV = maximumV
        mcuColumns = width.dividedRoundingUp(by: 8 * maximumH)
        mcuRows = height.dividedRoundingUp(by: 8 * maximumV)

        var components: [FrameComponent] = []
        for (index, (h, v)) in factors.enumerated() {
            let id = payload[6 + 3 * index]
            let table = Int(payload[8 + 3 * index])
            guard table < 4, !components.contains(where: { $0.id == id }) else {
                throw .suspect(.frame, offset: offset)
            }
            components.append(
                FrameComponent(
                    id: id, h: h, v: v, quantisation: table,
                    blockColumns: (width * h).dividedRoundingUp(by: 8 * maximumH),
                    blockRows: (height * v).dividedRoundingUp(by: 8 * maximumV),
                    storedColumns: mcuColumns * h, storedRows: mcuRows * v))
        }
        self.components = components
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
