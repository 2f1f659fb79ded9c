// The resampler's two weighing loops, once for 8-bit and once for 16-bit samples. `KernelSample` proves
// them exact.
//
// All of it is one file, and what the two have in common is inlined into each: a build optimises file
// by file in debug, and over several object files in release.

extension UInt8: KernelSample {
    @inline(never)
    static func weighRows(
        _ window: RowWindow<UInt8>, high: UnsafeMutablePointer<Int16>, low: UnsafeMutablePointer<Int16>
    ) {
        unsafe weighRowPairs(window, high: high, low: low)
    }

    @inline(never)
    static func weighColumns(
        _ filter: FilterWeights, _ sums: UnsafePointer<Int16>, into rows: TargetRows<UInt8>
    ) {
        unsafe weighSums(filter, sums, into: rows)
    }
}

extension UInt16: KernelSample {
    @inline(never)
    static func weighRows(
        _ window: RowWindow<UInt16>, high: UnsafeMutablePointer<Int16>, low: UnsafeMutablePointer<Int16>
    ) {
        unsafe weighRowPairs(window, high: high, low: low)
    }

    @inline(never)
    static func weighColumns(
        _ filter: FilterWeights, _ sums: UnsafePointer<Int16>, into rows: TargetRows<UInt16>
    ) {
        unsafe weighSums(filter, sums, into: rows)
    }
}

private typealias Four<Element> = (Element, Element, Element, Element)

/// What differs between the two sample types inside of the loops. Functions, not closures: those are
/// not inlined in every build.
private protocol KernelLanes: KernelSample {
    /// Eight stored pairs as signed numbers.
    static func eightPairs(_ pairs: UnsafePointer<Self>) -> (SIMD8<Int16>, SIMD8<Int16>)
    /// Sums of rows in two halves that are each an Int16.
    static func split(_ sums: SIMD8<Int32>) -> (high: SIMD8<Int16>, low: SIMD8<Int16>)
    /// Sums of columns of both halves as rounded levels, which may lie outside of the sample's range.
    static func levels(high: SIMD4<Int32>, low: SIMD4<Int32>) -> SIMD4<Int32>
    /// Levels of four columns, a lane a row, limited and as four rows. What packs them is not inlined: seen
    /// together with the stores of the rows, it would be done lane by lane.
    static func rows(_ columns: Four<SIMD4<Int32>>) -> Four<SIMD4<Self>>
}

extension UInt8: KernelLanes {
    @inline(__always)
    fileprivate static func eightPairs(_ pairs: UnsafePointer<UInt8>) -> (SIMD8<Int16>, SIMD8<Int16>) {
        let bytes = unsafe UnsafeRawPointer(pairs).loadUnaligned(as: SIMD16<UInt8>.self)
        return (bytes.lowHalf.widened, bytes.highHalf.widened)
    }

    @inline(__always)
    fileprivate static func split(_ sums: SIMD8<Int32>) -> (high: SIMD8<Int16>, low: SIMD8<Int16>) {
        ((sums &>> 8).narrowed, (sums & 255).narrowed)
    }

    @inline(__always)
    fileprivate static func levels(high: SIMD4<Int32>, low: SIMD4<Int32>) -> SIMD4<Int32> {
        (high &+ ((low &+ (1 << 27)) &>> 8)) &>> 20
    }

    @inline(__always)
    fileprivate static func rows(_ columns: Four<SIMD4<Int32>>) -> Four<SIMD4<UInt8>> {
        let rows = packed(columns)
        return unsafe (
            unsafeBitCast(rows[0], to: SIMD4<UInt8>.self), unsafeBitCast(rows[1], to: SIMD4<UInt8>.self),
            unsafeBitCast(rows[2], to: SIMD4<UInt8>.self), unsafeBitCast(rows[3], to: SIMD4<UInt8>.self)
        )
    }

    /// The lowest part of a lane comes first on every machine that this runs on.
    @inline(never)
    private static func packed(_ columns: Four<SIMD4<Int32>>) -> SIMD4<Int32> {
        let left = columns.0.limited(to: 255) | columns.1.limited(to: 255) &<< 8
        return left | columns.2.limited(to: 255) &<< 16 | columns.3.limited(to: 255) &<< 24
    }
}

extension UInt16: KernelLanes {
    @inline(__always)
    fileprivate static func eightPairs(_ pairs: UnsafePointer<UInt16>) -> (SIMD8<Int16>, SIMD8<Int16>) {
        let pairs = unsafe UnsafeRawPointer(pairs)
        return unsafe (
            pairs.loadUnaligned(as: SIMD8<Int16>.self),
            pairs.loadUnaligned(fromByteOffset: 16, as: SIMD8<Int16>.self)
        )
    }

    @inline(__always)
    fileprivate static func split(_ sums: SIMD8<Int32>) -> (high: SIMD8<Int16>, low: SIMD8<Int16>) {
        ((sums &>> 16).narrowed, (sums ^ 0x8000).narrowed)
    }

    @inline(__always)
    fileprivate static func levels(high: SIMD4<Int32>, low: SIMD4<Int32>) -> SIMD4<Int32> {
        (high &+ ((low &+ (1 << 29 + 1 << 27)) &>> 16) &+ (1 << 27)) &>> 12
    }

    @inline(__always)
    fileprivate static func rows(_ columns: Four<SIMD4<Int32>>) -> Four<SIMD4<UInt16>> {
        let (left, right) = (packed(columns.0, columns.1), packed(columns.2, columns.3))
        return unsafe (
            unsafeBitCast(SIMD2(left[0], right[0]), to: SIMD4<UInt16>.self),
            unsafeBitCast(SIMD2(left[1], right[1]), to: SIMD4<UInt16>.self),
            unsafeBitCast(SIMD2(left[2], right[2]), to: SIMD4<UInt16>.self),
            unsafeBitCast(SIMD2(left[3], right[3]), to: SIMD4<UInt16>.self)
        )
    }

    @inline(never)
    private static func packed(_ first: SIMD4<Int32>, _ second: SIMD4<Int32>) -> SIMD4<Int32> {
        first.limited(to: 65_535) | second.limited(to: 65_535) &<< 16
    }
}

/// The pattern that the compiler turns into one instruction (`pmaddwd`): products of eight pairs,
/// neighbours added. Spelt with the halves widened separately, or with 16 lanes, it does not, and
/// the whole resampler is two to four times slower.
@inline(__always)
private func multiplyAddPairs(_ one: SIMD8<Int16>, _ other: SIMD8<Int16>) -> SIMD4<Int32> {
    let products = one.widened &* other.widened
    return products.evenHalf &+ products.oddHalf
}

// The conversions between lanes are spelt out here. The standard library's are generic functions: a
// release build of several threads puts their specialisations into another object file, from which nothing is
// inlined.

extension SIMD8<Int16> {
    @inline(__always)
    fileprivate var widened: SIMD8<Int32> {
        SIMD8<Int32>(
            Int32(self[0]), Int32(self[1]), Int32(self[2]), Int32(self[3]), Int32(self[4]), Int32(self[5]),
            Int32(self[6]), Int32(self[7]))
    }
}

extension SIMD8<Int32> {
    /// The lower 16 bits of each lane.
    @inline(__always)
    fileprivate var narrowed: SIMD8<Int16> {
        SIMD8<Int16>(
            Int16(truncatingIfNeeded: self[0]), Int16(truncatingIfNeeded: self[1]),
            Int16(truncatingIfNeeded: self[2]), Int16(truncatingIfNeeded: self[3]),
            Int16(truncatingIfNeeded: self[4]), Int16(truncatingIfNeeded: self[5]),
            Int16(truncatingIfNeeded: self[6]), Int16(truncatingIfNeeded: self[7]))
    }
}

extension SIMD4<Int32> {
    /// Each lane limited to 0…highest.
    @inline(__always)
    fileprivate func limited(to highest: Int32) -> SIMD4<Int32> {
        let limits = SIMD4<Int32>(repeating: highest)
        let above = self.replacing(with: 0, where: self .< 0)
        return above.replacing(with: limits, where: above .> limits)
    }
}

extension SIMD8<UInt8> {
    /// Zeros between the bytes. Spelt as a conversion, it would be moved behind the pairing and break the pattern.
    @inline(__always)
    fileprivate var widened: SIMD8<Int16> {
        var bytes = SIMD16<UInt8>()
        bytes.evenHalf = self
        return unsafe unsafeBitCast(bytes, to: SIMD8<Int16>.self)
    }
}

/// The rows' pass: a pair of source rows at a time, weighed for both halves of the sums. The plain loops in Double
/// that the tests hold it against take several times as long.
@inline(__always)
private func weighRowPairs<Sample: KernelLanes>(
    _ window: RowWindow<Sample>, high: UnsafeMutablePointer<Int16>, low: UnsafeMutablePointer<Int16>
) {
    let ringLength = unsafe window.capacity * window.pairStride
    let rowLength = unsafe window.pairStride / 2
    let weights = unsafe UnsafeRawPointer(window.weights)
    var column = 0
    while column < rowLength {
        var pairs = unsafe window.ring + (window.firstSlot * window.pairStride + 2 * column)
        let end = unsafe window.ring + ringLength
        var sum0 = SIMD4<Int32>()
        var sum1 = SIMD4<Int32>()
        var sum2 = SIMD4<Int32>()
        var sum3 = SIMD4<Int32>()
        for pair in unsafe 0..<window.pairCount {
            let weight = unsafe weights.loadUnaligned(fromByteOffset: 16 &* pair, as: SIMD8<Int16>.self)
            let (pairs0, pairs1) = unsafe Sample.eightPairs(pairs)
            let (pairs2, pairs3) = unsafe Sample.eightPairs(pairs + 16)
            sum0 &+= multiplyAddPairs(pairs0, weight)
            sum1 &+= multiplyAddPairs(pairs1, weight)
            sum2 &+= multiplyAddPairs(pairs2, weight)
            sum3 &+= multiplyAddPairs(pairs3, weight)
            unsafe pairs += window.pairStride
            if unsafe pairs >= end { unsafe pairs -= ringLength }
        }
        unsafe store(Sample.split(SIMD8(lowHalf: sum0, highHalf: sum1)), high + column, low + column)
        unsafe store(
            Sample.split(SIMD8(lowHalf: sum2, highHalf: sum3)), high + (column + 8), low + (column + 8))
        column += columnStep
    }
}

@inline(__always)
private func store(
    _ halves: (high: SIMD8<Int16>, low: SIMD8<Int16>), _ high: UnsafeMutablePointer<Int16>,
    _ low: UnsafeMutablePointer<Int16>
) {
    unsafe UnsafeMutableRawPointer(high).storeBytes(of: halves.high, as: SIMD8<Int16>.self)
    unsafe UnsafeMutableRawPointer(low).storeBytes(of: halves.low, as: SIMD8<Int16>.self)
}

/// Four target samples of four rows at a time: of `sums` that are gathered, see `SumQuads`.
@inline(__always)
private func weighSums<Sample: KernelLanes>(
    _ filter: FilterWeights, _ sums: UnsafePointer<Int16>, into rows: TargetRows<Sample>
) {
    let count = filter.axis.targetCount
    let stride = filter.stride
    unsafe filter.starts.withUnsafeBufferPointer { starts in
        unsafe filter.weights.withUnsafeBufferPointer { table in
            let start = starts.baseAddress!
            var weights = unsafe UnsafeRawPointer(table.baseAddress!)
            var column = 0
            while column < count {
                let sums0 = unsafe UnsafeRawPointer(sums + 8 &* Int(start[column]))
                let sums1 = unsafe UnsafeRawPointer(sums + 8 &* Int(start[column &+ 1]))
                let sums2 = unsafe UnsafeRawPointer(sums + 8 &* Int(start[column &+ 2]))
                let sums3 = unsafe UnsafeRawPointer(sums + 8 &* Int(start[column &+ 3]))
                var highs = Four(SIMD4<Int32>(), SIMD4<Int32>(), SIMD4<Int32>(), SIMD4<Int32>())
                var lows = highs
                var pair = 0
                repeat {
                    let weight0 = unsafe spreadPair(weights + pair)
                    let weight1 = unsafe spreadPair(weights + (pair &+ 2 &* stride))
                    let weight2 = unsafe spreadPair(weights + (pair &+ 4 &* stride))
                    let weight3 = unsafe spreadPair(weights + (pair &+ 6 &* stride))
                    unsafe highs.0 &+= multiplyAddPairs(eightSums(sums0 + 8 &* pair), weight0)
                    unsafe lows.0 &+= multiplyAddPairs(eightSums(sums0 + (8 &* pair &+ 16)), weight0)
                    unsafe highs.1 &+= multiplyAddPairs(eightSums(sums1 + 8 &* pair), weight1)
                    unsafe lows.1 &+= multiplyAddPairs(eightSums(sums1 + (8 &* pair &+ 16)), weight1)
                    unsafe highs.2 &+= multiplyAddPairs(eightSums(sums2 + 8 &* pair), weight2)
                    unsafe lows.2 &+= multiplyAddPairs(eightSums(sums2 + (8 &* pair &+ 16)), weight2)
                    unsafe highs.3 &+= multiplyAddPairs(eightSums(sums3 + 8 &* pair), weight3)
                    unsafe lows.3 &+= multiplyAddPairs(eightSums(sums3 + (8 &* pair &+ 16)), weight3)
                    pair &+= 4
                } while pair < 2 &* stride
                unsafe weights += 8 &* stride
                let levels = Four(
                    Sample.levels(high: highs.0, low: lows.0), Sample.levels(high: highs.1, low: lows.1),
                    Sample.levels(high: highs.2, low: lows.2), Sample.levels(high: highs.3, low: lows.3))
                let samples = Sample.rows(levels)
                let row = unsafe UnsafeMutableRawPointer(rows.base + column)
                let rowBytes = unsafe rows.width &* MemoryLayout<Sample>.size
                if unsafe column &+ 4 <= count && rows.count == 4 {
                    unsafe row.storeBytes(of: samples.0, as: SIMD4<Sample>.self)
                    unsafe row.storeBytes(of: samples.1, toByteOffset: rowBytes, as: SIMD4<Sample>.self)
                    unsafe row.storeBytes(of: samples.2, toByteOffset: 2 &* rowBytes, as: SIMD4<Sample>.self)
                    unsafe row.storeBytes(of: samples.3, toByteOffset: 3 &* rowBytes, as: SIMD4<Sample>.self)
                } else {
                    unsafe storeCorner(samples, of: rows, from: column, count: min(4, count &- column))
                }
                column &+= 4
            }
        }
    }
}

/// A pair of weights, four times over.
@inline(__always)
private func spreadPair(_ weights: UnsafeRawPointer) -> SIMD8<Int16> {
    unsafe unsafeBitCast(SIMD4(repeating: weights.loadUnaligned(as: UInt32.self)), to: SIMD8<Int16>.self)
}

@inline(__always)
private func eightSums(_ sums: UnsafeRawPointer) -> SIMD8<Int16> {
    unsafe sums.loadUnaligned(as: SIMD8<Int16>.self)
}

/// Fewer than four columns or rows, at the end of a plane.
@inline(never)
private func storeCorner<Sample: KernelLanes>(
    _ samples: Four<SIMD4<Sample>>, of rows: TargetRows<Sample>, from column: Int, count: Int
) {
    let all = [samples.0, samples.1, samples.2, samples.3]
    for row in unsafe 0..<rows.count {
        for index in 0..<count { unsafe rows.base[row * rows.width + column + index] = all[row][index] }
    }
}
