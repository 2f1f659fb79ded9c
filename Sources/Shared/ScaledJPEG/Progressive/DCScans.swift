/// A scan that brings the DC coefficients for the first time: differences from block to block.
struct DCFirstScan: ScanLoop {
    private let units: [DCUnit]
    /// One a component of the scan, as their predictions.
    private let codes: [ProgressiveCode]
    private let differences: [LookupTable<DCDifference>]
    private var predictions: [Int]
    private let lowBit: Int

    init(_ scan: ProgressiveScan, in frame: FrameHeader) {
        units = DCUnit.all(of: scan.header, in: frame)
        codes = scan.codes.map { ProgressiveCode($0) { CodeEntry(length: $1, size: Int($0), advance: 0) } }
        differences = codes.map(DCDifference.table)
        predictions = [Int](repeating: 0, count: codes.count)
        lowBit = scan.header.lowBit
    }

    mutating func read(
        _ run: ScanRun, _ coefficients: inout LowCoefficients, _ reader: inout BitReader,
        _ window: inout ScanWindow, _ bytes: Span<UInt8>
    ) throws(Declined) {
        let lanes = units.map { unit in
            DCLane(
                place: DCPlace(unit, run, coefficients), differences: differences[unit.code].elements)
        }
        try coefficients.withMemory { memory throws(Declined) in
            try predictions.withUncheckedMutable { predictions throws(Declined) in
                var (bits, limit) = (reader, window.limit)
                // Has bits above the lowest 16 once a value does not fit in them.
                var spilled = 0
                for index in 0..<run.count {
                    try window.prepare(&bits, &limit, in: bytes)
                    for lane in lanes {
                        let place = lane.place
                        // The index has as many bits as the table. Not behind the refill:
                        // `BitReader.bitsBehindSymbol`.
                        let known = lane.differences[unchecked: DCDifference.index(bits.word)]
                        bits.refill()
                        var difference = known.value
                        if known.isUnknown {
                            let entry = codes[place.code].search(bits.word)
                            guard entry.length > 0 else { throw .suspect(.entropy, offset: window.position) }
                            difference = entry.value(bits.word)
                            bits.drop(entry.total)
                        }
                        bits.drop(known.total)
                        // There is a prediction for each of the scan's codes.
                        let prediction = predictions[unchecked: place.code] &+ difference
                        predictions[unchecked: place.code] = prediction
                        let value = prediction &<< lowBit
                        spilled |= value &+ 0x8000
                        // A unit of the run is inside of the whole MCUs that are stored.
                        memory.values[unchecked: place.index(index)] = Int16(truncatingIfNeeded: value)
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
        try coefficients.withMemory { memory throws(Declined) in
            var (bits, limit) = (reader, window.limit)
            // A unit has at most ten blocks, so ten bits: what is there after a refill is a batch of them.
            let batch = BitReader.bitsOfRefill / places.count
            for first in stride(from: 0, to: run.count, by: batch) {
                try window.prepare(&bits, &limit, in: bytes)
                bits.refill()
                let end = min(first + batch, run.count)
                for (place, bit) in zip(places, 0...) {
                    // A batch a place, since that is half the time of a unit a place.
                    var word = bits.word &<< UInt64(truncatingIfNeeded: bit)
                    for index in first..<end {
                        let bit = Int16(
                            truncatingIfNeeded: (word >> 63) &<< UInt64(truncatingIfNeeded: lowBit))
                        word &<<= UInt64(truncatingIfNeeded: places.count)
                        memory.values[unchecked: place.index(index)] |= bit
                    }
                }
                bits.drop(UInt64(truncatingIfNeeded: (end - first) * places.count))
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

/// The same, with the differences that the next bits begin with.
private struct DCLane {
    let place: DCPlace
    let differences: Unchecked<DCDifference>
}

/// A difference and how many bits it takes, code and all.
private struct DCDifference: BitwiseCopyable {
    private let word: Int32

    /// Nearly all differences of photographs, code and all, and the tables of two codes stay in the first cache.
    private static let width = 11

    /// - Parameter total: bits; 0 = not known from the table's bits alone.
    private init(value: Int, total: Int) { word = Int32(value << 8 | total) }

    /// What a code's bits begin with.
    static func table(_ code: ProgressiveCode) -> LookupTable<DCDifference> {
        precondition(width <= BitReader.bitsBehindSymbol)
        let table = LookupTable(width: width, repeating: DCDifference(value: 0, total: 0))
        for index in 0..<1 << width {
            let bits = UInt64(index) << UInt64(64 - width)
            let entry = code.entries[unchecked: ProgressiveCode.index(bits)]
            // The zeros behind the table's bits are not known.
            guard !entry.isRare, entry.total <= width else { continue }
            table.fill(
                index..<index + 1, with: DCDifference(value: entry.value(bits), total: Int(entry.total)))
        }
        return table
    }

    @inline(always)
    static func index(_ bits: UInt64) -> Int { Int(truncatingIfNeeded: bits &>> UInt64(64 - width)) }

    @inline(always) var isUnknown: Bool { total == 0 }
    @inline(always) var value: Int { Int(truncatingIfNeeded: word &>> 8) }
    @inline(always) var total: UInt64 { UInt64(truncatingIfNeeded: word & 0xFF) }
}
