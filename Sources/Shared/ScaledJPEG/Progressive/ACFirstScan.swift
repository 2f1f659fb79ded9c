/// A scan that brings a band of one component's AC coefficients for the first time.
struct ACFirstScan: ScanLoop {
    private let component: Int
    private let code: BandCode
    private let kept: KeptCoefficients
    private let firstCoefficient: Int
    private let lastCoefficient: Int
    private let recordsHistory: Bool
    /// Blocks from here on whose band is zero.
    private var emptyBlocks = 0

    init(_ scan: ProgressiveScan, kept: KeptCoefficients, recordsHistory: Bool) {
        let header = scan.header
        component = header.components[0].index
        firstCoefficient = header.firstCoefficient
        lastCoefficient = header.lastCoefficient
        self.kept = kept
        self.recordsHistory = recordsHistory
        code = BandCode(scan.codes[0], largestSize: 15, lowBit: header.lowBit)
    }

    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) {
        let row = coefficients.row(run.row, of: component)
        let end = run.column + run.count
        try unsafe coefficients.withMemory { memory throws(Declined) in
            let loop = unsafe BandLoop(
                code, through: lastCoefficient, kept: kept, unkept: memory.unkept)
            var bits = reader
            var column = run.column + emptyBlocks
            // The run's blocks are among those that are stored.
            while column < end {
                if !window.suffices(bits) { try window.advance(&bits, in: bytes) }
                let values = unsafe memory.values + row.value(column)
                let block = unsafe loop.read(from: firstCoefficient, values, &bits)
                guard let block else { throw .suspect(.entropy, offset: window.position) }
                if recordsHistory, let history = unsafe memory.history {
                    unsafe history[row.blocks + column] |= block.found
                }
                column += max(1, block.endedBlocks)
            }
            emptyBlocks = column - end
            reader = bits
        }
    }

    mutating func endInterval(at offset: Int) throws(Declined) {
        guard emptyBlocks == 0 else { throw .suspect(.entropy, offset: offset) }
    }
}
