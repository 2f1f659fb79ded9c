/// A scan that brings the DC coefficients for the first time: differences from block to block.
struct DCFirstScan: ScanLoop {
    private let units: [DCUnit]
    /// One a component of the scan, as their predictions.
    private let codes: [ProgressiveCode]
    private var predictions: [Int]
    private let lowBit: Int

    init(_ scan: ProgressiveScan, in frame: FrameHeader) {
        units = DCUnit.all(of: scan.header, in: frame)
        codes = scan.codes.map { ProgressiveCode($0) { CodeEntry(length: $1, size: Int($0), advance: 0) } }
        predictions = [Int](repeating: 0, count: codes.count)
        lowBit = scan.header.lowBit
    }

    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) {
        let lanes = units.map { unit in
            unsafe DCLane(place: DCPlace(unit, run, coefficients), entries: codes[unit.code].entries)
        }
        try unsafe coefficients.withMemory { memory throws(Declined) in
            try unsafe predictions.withUnsafeMutableBufferPointer { predictions throws(Declined) in
                var bits = reader
                // Has bits above the lowest 16 once a value does not fit in them.
                var spilled = 0
                for index in 0..<run.count {
                    if !window.suffices(bits) { try window.advance(&bits, in: bytes) }
                    for lane in lanes {
                        let place = lane.place
                        bits.refill()
                        // The index has as many bits as the table.
                        var entry = unsafe lane.entries[ProgressiveCode.index(bits.word)]
                        if entry.isRare {
                            entry = codes[place.code].search(bits.word)
                            guard entry.length > 0 else { throw .suspect(.entropy, offset: window.position) }
                        }
                        // There is a prediction for each of the scan's codes.
                        let prediction = unsafe predictions[place.code] &+ entry.value(bits.word)
                        unsafe predictions[place.code] = prediction
                        bits.drop(entry.total)
                        let value = prediction &<< lowBit
                        spilled |= value &+ 0x8000
                        // A unit of the run is inside of the whole MCUs that are stored.
                        unsafe memory.values[place.index(index)] = Int16(truncatingIfNeeded: value)
                    }
                }
                reader = bits
                guard spilled >> 16 == 0 else { throw .suspect(.entropy, offset: window.position) }
            }
        }
    }

    mutating func endInterval(at offset: Int) {
        for index in predictions.indices { predictions[index] = 0 }
    }
}

/// A scan that brings one more bit of each DC coefficient.
struct DCRefinementScan: ScanLoop {
    private let units: [DCUnit]
    private let lowBit: Int

    init(_ scan: ProgressiveScan, in frame: FrameHeader) {
        units = DCUnit.all(of: scan.header, in: frame)
        lowBit = scan.header.lowBit
    }

    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) {
        let places = units.map { DCPlace($0, run, coefficients) }
        try unsafe coefficients.withMemory { memory throws(Declined) in
            var bits = reader
            for index in 0..<run.count {
                if !window.suffices(bits) { try window.advance(&bits, in: bytes) }
                bits.refill()
                // A unit has at most ten blocks, so ten bits.
                var word = bits.word
                bits.drop(UInt64(truncatingIfNeeded: places.count))
                for place in places {
                    let bit = Int16(truncatingIfNeeded: (word >> 63) &<< UInt64(truncatingIfNeeded: lowBit))
                    word &<<= 1
                    unsafe memory.values[place.index(index)] |= bit
                }
            }
            reader = bits
        }
    }

    mutating func endInterval(at offset: Int) {}
}

/// A block of each unit of a DC scan.
private struct DCUnit {
    /// The component's index in the frame, and in the scan.
    let component: Int
    let code: Int
    /// Blocks of the component in a unit, sideways and down, and which of them this is.
    let h: Int
    let v: Int
    let x: Int
    let y: Int

    /// All blocks of a unit, in the order of their bits.
    static func all(of scan: ScanHeader, in frame: FrameHeader) -> [DCUnit] {
        var units: [DCUnit] = []
        for (code, component) in scan.components.map(\.index).enumerated() {
            let (h, v) =
                scan.isInterleaved ? (frame.components[component].h, frame.components[component].v) : (1, 1)
            for block in 0..<h * v {
                units.append(DCUnit(component: component, code: code, h: h, v: v, x: block % h, y: block / h))
            }
        }
        return units
    }
}

/// The blocks of a run that have the same place in their units.
private struct DCPlace {
    let code: Int
    private let row: BlockRow
    /// Of the block in the run's first unit, and from unit to unit.
    private let column: Int
    private let step: Int

    init(_ unit: DCUnit, _ run: ScanRun, _ coefficients: LowCoefficients) {
        code = unit.code
        row = coefficients.row(run.row * unit.v + unit.y, of: unit.component)
        column = run.column * unit.h + unit.x
        step = unit.h
    }

    /// Where the DC coefficient in the run's unit of that number is.
    @inline(always)
    func index(_ unit: Int) -> Int { row.value(column &+ unit &* step) }
}

/// The same, with the entries of the code that the blocks' differences have.
@safe private struct DCLane {
    let place: DCPlace
    let entries: UnsafePointer<CodeEntry>
}
