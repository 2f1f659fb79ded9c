/// Walks the units of a scan: MCUs, or blocks when the scan has one component.
struct ScanWalk {
    let columns: Int
    let rows: Int
    /// Units between two restart markers; all of them when there are none.
    private let interval: Int

    init(_ scan: ScanHeader, in frame: FrameHeader) {
        (columns, rows) = scan.units(in: frame)
        interval = scan.restartInterval == 0 ? columns * rows : scan.restartInterval
    }

    /// Hands out a scan's units in runs that end with a row or with a restart interval.
    ///
    /// - Parameter shouldStop: asked at each row.
    func read(
        _ data: Range<Int>, of bytes: Span<UInt8>, _ window: inout ScanWindow,
        _ coefficients: inout LowCoefficients, shouldStop: () -> Bool, by loop: inout some ScanLoop
    ) throws(Declined) {
        var reader = window.begin(at: data.lowerBound, before: data.upperBound, in: bytes)
        var restarts = 0
        var left = interval
        for row in 0..<rows {
            if shouldStop() { throw .stopped }
            var column = 0
            while column < columns {
                if left == 0 {
                    try loop.endInterval(at: window.position)
                    try window.finish(&reader, in: bytes)
                    reader = try window.restart(number: restarts, in: bytes)
                    restarts += 1
                    left = interval
                }
                let run = ScanRun(row: row, column: column, count: min(left, columns - column))
                try loop.read(run, &coefficients, &reader, &window, bytes)
                column += run.count
                left -= run.count
            }
        }
        try loop.endInterval(at: window.position)
        try window.finish(&reader, in: bytes)
    }
}

/// Units beside each other.
struct ScanRun {
    let row: Int
    let column: Int
    let count: Int
}

/// Decodes the runs of one kind of scan.
protocol ScanLoop {
    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined)

    /// Forgets what holds within an interval only; throws when something is left over.
    mutating func endInterval(at offset: Int) throws(Declined)
}
