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
        _ filter: FilterWeights, high: UnsafePointer<Int16>, low: UnsafePointer<Int16>,
        into row: UnsafeMutablePointer<UInt8>
    ) {
        unsafe weighSums(filter, high: high, low: low, into: row)
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
        _ filter: FilterWeights, high: UnsafePointer<Int16>, low: UnsafePointer<Int16>,
        into row: UnsafeMutablePointer<UInt16>
    ) {
        unsafe weighSums(filter, high: high, low: low, into: row)
    }
}

/// What differs between the two sample types inside of the loops. Functions, not closures: those are
/// not inlined in every build.
private protocol KernelLanes: KernelSample {
    /// Eight stored pairs as signed numbers.
    static func eightPairs(_ pairs: UnsafePointer<Self>) -> (SIMD8<Int16>, SIMD8<Int16>)
    /// Sums of rows in two halves that are each an Int16.
    static func split(_ sums: SIMD8<Int32>) -> (high: SIMD8<Int16>, low: SIMD8<Int16>)
    /// Sums of columns of both halves as rounded samples.
    static func joined(high: SIMD4<Int32>, low: SIMD4<Int32>) -> SIMD4<Self>
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
    fileprivate static func joined(high: SIMD4<Int32>, low: SIMD4<Int32>) -> SIMD4<UInt8> {
        // The lowest part of a lane comes first on every machine that this runs on.
        let level = (high &+ ((low &+ (1 << 27)) &>> 8)) &>> 20
        return unsafe unsafeBitCast(level.limited(to: 255), to: SIMD16<UInt8>.self).evenHalf.evenHalf
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
    fileprivate static func joined(high: SIMD4<Int32>, low: SIMD4<Int32>) -> SIMD4<UInt16> {
        let level = (high &+ ((low &+ (1 << 29 + 1 << 27)) &>> 16) &+ (1 << 27)) &>> 12
        return unsafe unsafeBitCast(level.limited(to: 65_535), to: SIMD8<UInt16>.self).evenHalf
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
// release build of several threads puts their specialisations into another object file, where X

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

/// With `weighSums` 0.34 ms for 1008x756 → 360x270, or 0.45 ns a source sample, on one core of an EPYC
/// at 4.3 GHz; the same two passes in plain Double loops take 1.9 ms (`ResamplerBenchmark`).
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

/// Four target samples at a time, so that their sums can be added across by whole vectors.
@inline(__always)
private func weighSums<Sample: KernelLanes>(
    _ filter: FilterWeights, high: UnsafePointer<Int16>, low: UnsafePointer<Int16>,
    into row: UnsafeMutablePointer<Sample>
) {
    let count = filter.axis.targetCount
    let stride = filter.stride
    unsafe filter.starts.withUnsafeBufferPointer { starts in
        unsafe filter.weights.withUnsafeBufferPointer { table in
            var weights = unsafe UnsafeRawPointer(table.baseAddress!)
            let start = starts.baseAddress!
            var column = 0
            while column < count {
                let high0 = unsafe UnsafeRawPointer(high + Int(start[column]))
                let high1 = unsafe UnsafeRawPointer(high + Int(start[column + 1]))
                let high2 = unsafe UnsafeRawPointer(high + Int(start[column + 2]))
                let high3 = unsafe UnsafeRawPointer(high + Int(start[column + 3]))
                let low0 = unsafe UnsafeRawPointer(low + Int(start[column]))
                let low1 = unsafe UnsafeRawPointer(low + Int(start[column + 1]))
                let low2 = unsafe UnsafeRawPointer(low + Int(start[column + 2]))
                let low3 = unsafe UnsafeRawPointer(low + Int(start[column + 3]))
                var highs = (SIMD4<Int32>(), SIMD4<Int32>(), SIMD4<Int32>(), SIMD4<Int32>())
                var lows = highs
                var tap = 0
                while tap < 2 &* stride {
                    let weight0 = unsafe weights.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self)
                    let weight1 = unsafe weights.loadUnaligned(
                        fromByteOffset: tap &+ 2 &* stride, as: SIMD8<Int16>.self)
                    let weight2 = unsafe weights.loadUnaligned(
                        fromByteOffset: tap &+ 4 &* stride, as: SIMD8<Int16>.self)
                    let weight3 = unsafe weights.loadUnaligned(
                        fromByteOffset: tap &+ 6 &* stride, as: SIMD8<Int16>.self)
                    unsafe highs.0 &+= multiplyAddPairs(
                        high0.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight0)
                    unsafe lows.0 &+= multiplyAddPairs(
                        low0.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight0)
                    unsafe highs.1 &+= multiplyAddPairs(
                        high1.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight1)
                    unsafe lows.1 &+= multiplyAddPairs(
                        low1.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight1)
                    unsafe highs.2 &+= multiplyAddPairs(
                        high2.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight2)
                    unsafe lows.2 &+= multiplyAddPairs(
                        low2.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight2)
                    unsafe highs.3 &+= multiplyAddPairs(
                        high3.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight3)
                    unsafe lows.3 &+= multiplyAddPairs(
                        low3.loadUnaligned(fromByteOffset: tap, as: SIMD8<Int16>.self), weight3)
                    tap &+= 16
                }
                unsafe weights += 8 &* stride
                let levels = Sample.joined(high: addedAcross(highs), low: addedAcross(lows))
                if column &+ 4 <= count {
                    unsafe UnsafeMutableRawPointer(row + column).storeBytes(
                        of: levels, as: SIMD4<Sample>.self)
                } else {
                    for index in 0..<(count &- column) { unsafe row[column &+ index] = levels[index] }
                }
                column &+= 4
            }
        }
    }
}

/// The sums of four vectors, as one vector.
@inline(__always)
private func addedAcross(_ sums: (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>)) -> SIMD4<Int32> {
    let halves = SIMD8(
        lowHalf: SIMD4(
            lowHalf: sums.0.lowHalf &+ sums.0.highHalf, highHalf: sums.1.lowHalf &+ sums.1.highHalf),
        highHalf: SIMD4(
            lowHalf: sums.2.lowHalf &+ sums.2.highHalf, highHalf: sums.3.lowHalf &+ sums.3.highHalf))
    return halves.evenHalf &+ halves.oddHalf
}
