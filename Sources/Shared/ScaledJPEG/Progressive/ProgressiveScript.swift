/// A progressive file's scans, found and checked without decoding any of them.
///
/// The whole file is walked first, so that what to read of it is decided with everything known.
struct ProgressiveScript {
    /// In the file's order.
    let scans: [ProgressiveScan]
    /// One a component: the table in force at the component's first scan, which libjpeg keeps too.
    let quantisation: [QuantisationTable]
    /// Position in the file behind the end-of-image marker.
    let endOfImage: Int

    /// Encoders write 10 to 20, and at most 64 · 14 could be legal; other decoders draw the line here too.
    static let mostScans = 500

    /// - Throws: `.suspect` where the standard is broken, `.unusual(.script)` when the picture is never
    ///   sent whole.
    init(
        _ bytes: Span<UInt8>, _ frame: FrameHeader, from first: ScanHeader, _ segments: SegmentReader,
        shouldStop: () -> Bool
    ) throws(Declined) {
        var segments = segments
        var scans: [ProgressiveScan] = []
        var quantisation = [QuantisationTable?](repeating: nil, count: frame.components.count)
        var precision = [SentPrecision](repeating: SentPrecision(), count: frame.components.count)
        var next: ScanHeader? = first
        while let header = next {
            guard scans.count < Self.mostScans else { throw .unusual(.script) }
            for component in header.components {
                try precision[component.index].take(header)
                let table = segments.tables.quantisation[frame.components[component.index].quantisation]
                guard let table else { throw .suspect(.table, offset: header.dataStart) }
                if quantisation[component.index] == nil { quantisation[component.index] = table }
            }
            let search = ScanSearch(restarts: header.restarts(in: frame))
            let end = try search.end(from: header.dataStart, in: bytes, shouldStop: shouldStop)
            scans.append(try ProgressiveScan(header, segments.tables, data: header.dataStart..<end))
            segments.resume(at: end)
            next = try segments.nextScan(in: bytes)
        }
        guard precision.allSatisfy(\.isWhole) else { throw .unusual(.script) }
        self.scans = scans
        self.quantisation = quantisation.compactMap(\.self)
        endOfImage = segments.position
    }
}

/// One scan, with what it takes to decode it.
struct ProgressiveScan {
    let header: ScanHeader
    /// One a component of the scan; a scan that refines DC coefficients has no code.
    let codes: [HuffmanCode]
    /// Position of the entropy-coded bytes, up to the next marker that is no restart.
    let data: Range<Int>

    init(_ header: ScanHeader, _ tables: Tables, data: Range<Int>) throws(Declined) {
        self.header = header
        self.data = data
        var codes: [HuffmanCode] = []
        for component in header.components where !header.isDC || !header.isRefinement {
            let code = header.isDC ? tables.dc[component.dcTable] : tables.ac[component.acTable]
            guard let code else { throw .suspect(.table, offset: header.dataStart) }
            codes.append(code)
        }
        self.codes = codes
    }
}

/// How many bits of each coefficient of one component have been sent.
private struct SentPrecision {
    /// The position of the last bit sent, in zig-zag order; nil before the first.
    private var lowBits = [Int?](repeating: nil, count: 64)

    /// Coefficients that must have come, with all bits: when one has not, libjpeg estimates it from the
    /// blocks around (block smoothing).
    private static let smoothed = 0..<10

    var isWhole: Bool { lowBits[Self.smoothed].allSatisfy { $0 == 0 } }

    /// Bits come from the highest to the lowest, once each, and DC before AC.
    mutating func take(_ scan: ScanHeader) throws(Declined) {
        guard scan.isDC || lowBits[0] != nil else { throw .unusual(.script) }
        for index in scan.firstCoefficient...scan.lastCoefficient {
            guard lowBits[index] == (scan.isRefinement ? scan.highBit : nil) else { throw .unusual(.script) }
            lowBits[index] = scan.lowBit
        }
    }
}

extension ScanHeader {
    /// Blocks of the scan's only component, or MCUs of several: columns and rows.
    func units(in frame: FrameHeader) -> (columns: Int, rows: Int) {
        guard !isInterleaved else { return (frame.mcuColumns, frame.mcuRows) }
        let component = frame.components[components[0].index]
        return (component.blockColumns, component.blockRows)
    }

    /// Restart markers that stand between the units.
    func restarts(in frame: FrameHeader) -> Int {
        let (columns, rows) = units(in: frame)
        return restartInterval == 0 ? 0 : (columns * rows - 1) / restartInterval
    }
}
