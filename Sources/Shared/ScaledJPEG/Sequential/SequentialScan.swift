/// Decodes one scan of a sequential file, one row of MCUs after the other, from its first bit to its last.
struct SequentialScan {
    private let layout: ScanLayout
    private let tables: ScanTables
    private let slots: [BlockSlot]
    private let transforms: [ReducedTransform]
    private let interval: Int

    private var window: EntropyWindow
    /// In bits from the window's start.
    private var position = 0
    /// Nil where lanes would not pay.
    let known: KnownBlocks?
    private var coefficients: [Int16]
    private var predictions = [Int32](repeating: 0, count: 3)
    /// MCUs before the next restart marker.
    private var restartDistance: Int

    /// - Parameters:
    ///   - lanes: how blocks are found ahead; nil for one after the other only.
    ///   - fileLength: no window is longer, since memory that is not used must be cleared nevertheless.
    init(
        _ scan: ScanHeader, of frame: FrameHeader, _ tables: Tables, at scales: ComponentScales,
        lanes: LanePlan?, fileLength: Int
    ) throws(Declined) {
        layout = ScanLayout(scan, of: frame, at: scales)
        self.tables = try ScanTables(scan, tables, keepsAC: layout.eighths > 1)
        slots = layout.slots(self.tables)
        var transforms: [ReducedTransform] = []
        for component in layout.components {
            guard let table = tables.quantisation[component.frame.quantisation] else {
                throw .suspect(.table, offset: scan.dataStart)
            }
            transforms.append(ReducedTransform(eighths: component.eighths, table))
        }
        self.transforms = transforms
        interval = scan.restartInterval
        restartDistance = interval > 0 ? interval : Int.max
        window = EntropyWindow(
            from: scan.dataStart, takesRestarts: interval > 0,
            capacity: min(Stretch.unstuffed, fileLength - scan.dataStart + 64),
            tail: BlockReader.windowTail)
        coefficients = [Int16](repeating: 0, count: layout.coefficients)
        let units = layout.columns * layout.rows
        if let lanes,
            lanes.pay(
                bytes: fileLength - scan.dataStart, blocks: units * slots.count,
                intervals: interval > 0 ? units.dividedRoundingUp(by: interval) : 1, eighths: layout.eighths)
        {
            known = KnownBlocks(
                lanes, self.tables, slots, layout, windowCapacity: Stretch.unstuffed)
        } else {
            known = nil
        }
    }

    /// - Returns: position in the file of the marker behind the scan.
    mutating func decode(
        _ file: Span<UInt8>, into planes: [ScaledPlane], shouldStop: () -> Bool
    ) throws(Declined) -> Int {
        try window.refill(keepingFrom: 0, of: file)
        for row in 0..<layout.rows {
            if shouldStop() { throw .stopped }
            for index in coefficients.indices { coefficients[index] = 0 }
            try readRow(of: file)
            try transform(row, into: planes)
        }
        return try finish(file)
    }

    private mutating func readRow(of file: Span<UInt8>) throws(Declined) {
        var column = 0
        while column < layout.columns {
            if restartDistance == 0 { try restart(file) }
            let end = column + min(layout.columns - column, restartDistance)
            guard let next = readMCUs(column..<end) else { throw fault(.entropy) }
            restartDistance -= next - column
            column = next
            if column < end {
                // An MCU that begins behind the last byte.
                guard !window.endsScan else { throw fault(.cut) }
                try refill(file)
            }
        }
    }

    /// As many MCUs as the window surely holds.
    ///
    /// - Returns: the first that was not read; nil when the bits are no MCU.
    private mutating func readMCUs(_ columns: Range<Int>) -> Int? {
        var column = columns.lowerBound
        while column < columns.upperBound, known?.isHopeless == false {
            if let next = readKnown(column..<columns.upperBound) {
                column = next
            } else {
                guard let next = readUnknown(column..<column + 1) else { return nil }
                guard next > column else { return column }
                column = next
            }
        }
        return readUnknown(column..<columns.upperBound)
    }

    /// MCUs whose blocks were found ahead.
    ///
    /// - Returns: the first that was not; nil when all were not.
    private mutating func readKnown(_ columns: Range<Int>) -> Int? {
        guard let known, let starts = known.take(at: position, most: columns.count, of: window) else {
            return nil
        }
        let next = columns.lowerBound + (starts.count - 1) / slots.count
        position = withReader { reader, _, window in
            known.read(columns.lowerBound..<next, starts, reader, window)
        }
        return next
    }

    /// MCUs one after the other, each where the one before ends.
    private mutating func readUnknown(_ columns: Range<Int>) -> Int? {
        // In the last window the tail takes what an MCU runs over; in any other it must fit.
        let mark = window.endsScan ? window.count + 8 : window.count - BlockReader.windowTail
        var position = position
        defer { self.position = position }
        let keepsAC = layout.eighths > 1
        return withReader { reader, slots, window in
            var bits = BitReader(window, at: position)
            defer { position = bits.position(from: window) }
            return reader.readMCUs(
                columns, slots, keepsAC: keepsAC, from: &bits, before: window + mark)
        }
    }

    /// Hands out a reader, the blocks of an MCU and the window's first byte.
    private mutating func withReader<Result>(
        _ body: (BlockReader, Span<BlockSlot>, Unchecked<UInt8>) -> Result
    ) -> Result {
        let (symbols, runs, pairs) = (tables.symbols, tables.runs, tables.pairs)
        let slots = slots
        return window.bytes.withUnchecked { bytes in
            symbols.withUnchecked { symbols in
                runs.withUnchecked { runs in
                    pairs.withUnchecked { pairs in
                        BlockOffsets.all.withUnchecked { offsets in
                            coefficients.withUncheckedMutable { coefficients in
                                predictions.withUncheckedMutable { predictions in
                                    let reader = BlockReader(
                                        symbols: symbols, runs: runs, pairs: pairs,
                                        coefficients: coefficients, offsets: offsets,
                                        predictions: predictions)
                                    return body(reader, slots.span, bytes)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private mutating func transform(_ row: Int, into planes: [ScaledPlane]) throws(Declined) {
        for (component, transform) in zip(layout.components, transforms) {
            for line in 0..<component.blocksDown {
                let isPicture = transform.transform(
                    coefficients.span.extracting(component.row(line)), into: planes[component.index],
                    blockRow: row * component.blocksDown + line)
                guard isPicture else { throw fault(.entropy) }
            }
        }
    }

    /// The end of an interval: its last byte must be the last before the marker.
    private mutating func restart(_ file: Span<UInt8>) throws(Declined) {
        try alignToByte(file)
        guard window.passRestart(at: position / 8) else { throw fault(.restart) }
        for index in predictions.indices { predictions[index] = 0 }
        restartDistance = interval
    }

    /// The end of the scan likewise.
    private mutating func finish(_ file: Span<UInt8>) throws(Declined) -> Int {
        try alignToByte(file)
        guard window.endsScan, position / 8 == window.count, window.restartsPassed == window.restarts.count
        else { throw fault(.entropy) }
        return window.filePosition
    }

    /// Passes over padding, whatever its bits are, as libjpeg does; and sees what comes behind.
    private mutating func alignToByte(_ file: Span<UInt8>) throws(Declined) {
        position = (position + 7) / 8 * 8
        guard position / 8 <= window.count else { throw fault(.cut) }
        if position / 8 == window.count, !window.endsScan { try refill(file) }
    }

    private mutating func refill(_ file: Span<UInt8>) throws(Declined) {
        try window.refill(keepingFrom: position / 8, of: file)
        position %= 8
        known?.forget()
    }

    private func fault(_ suspect: Declined.Suspect) -> Declined {
        .suspect(suspect, offset: window.filePosition)
    }
}
