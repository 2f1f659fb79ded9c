/// A scan that brings a band of one component's AC coefficients for the first time.
struct ACFirstScan: ScanLoop {
    private let component: Int
    private let reading: Reading
    private let kept: KeptCoefficients
    private let firstCoefficient: Int
    private let lastCoefficient: Int
    private let recordsHistory: Bool
    private enum Reading {
        case automaton(BandAutomaton)
        case pairs(BandCode)
    }

    /// Blocks from here on whose band is zero.
    private var emptyBlocks = 0

    /// - Parameter fewestBlocks: of a component for which an automaton is worth its tables.
    init(
        _ scan: ProgressiveScan, in frame: FrameHeader, kept: KeptCoefficients, recordsHistory: Bool,
        fewestBlocks: Int
    ) {
        let header = scan.header
        component = header.components[0].index
        firstCoefficient = header.firstCoefficient
        lastCoefficient = header.lastCoefficient
        self.kept = kept
        self.recordsHistory = recordsHistory
        let (columns, rows) = header.units(in: frame)
        if columns * rows >= fewestBlocks, let automaton = BandAutomaton(scan, kept: kept) {
            reading = .automaton(automaton)
        } else {
            reading = .pairs(BandCode(scan.codes[0], largestSize: 15, lowBit: header.lowBit))
        }
    }

    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) {
        let row = coefficients.row(run.row, of: component)
        let (start, end) = (run.column + emptyBlocks, run.column + run.count)
        // The run's blocks are among those that are stored.
        try coefficients.withMemory { memory throws(Declined) in
            let history = recordsHistory ? memory.history.map { $0 + row.blocks } : nil
            let column =
                switch reading {
                case .automaton(let automaton):
                    try automaton.read(
                        from: start, to: end, memory.values, row, history, &reader, &window, bytes)
                case .pairs(let code):
                    try readPairs(
                        BandLoop(code, through: lastCoefficient, kept: kept, unkept: memory.unkept),
                        from: start, to: end, memory.values, row, history, &reader, &window, bytes)
                }
            emptyBlocks = column - end
        }
    }

    /// As `BandAutomaton.read`.
    @inline(always)
    private func readPairs(
        _ loop: BandLoop, from start: Int, to end: Int, _ values: UncheckedMutable<Int16>,
        _ row: BlockRow, _ history: UncheckedMutable<UInt64>?, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) -> Int {
        var (bits, limit) = (reader, window.limit)
        var column = start
        while column < end {
            try window.prepare(&bits, &limit, in: bytes)
            let block = loop.read(from: firstCoefficient, values + row.value(column), &bits)
            guard let block else { throw .suspect(.entropy, offset: window.position) }
            if let history { history[unchecked: column] |= block.found }
            column += max(1, block.endedBlocks)
        }
        reader = bits
        return column
    }

    mutating func endInterval(at offset: Int) throws(Declined) {
        guard emptyBlocks == 0 else { throw .suspect(.entropy, offset: offset) }
    }
}
