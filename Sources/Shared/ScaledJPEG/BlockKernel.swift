/// The fast inverse DCT: eight adjacent blocks at a time, in integers.
///
/// With T(x, u) = √2 · C(u) · cos((2x + 1)uπ / 2k), so that T(x, 0) = 1, the transform is separable:
///
///     f(x, y) = 128 + 1/8 · Σu T(x, u) · Σv T(y, v) F(u, v)
///
/// For k = 1 and 2 every T is ±1, and all is exact up to the one rounding. For k = 3 and 4 the vertical pass
/// keeps two bits of fraction in 16 bits, the horizontal one sums products in 32 bits and rounds once.
///
/// Nothing overflows. A dequantised F is at most 2047 (`limits`; the product of both is taken modulo 2^16,
/// so that neither factor need fit). k = 2: 4 · 2047 = 8188. k = 4: Σv |T| ≤ 1 + 1.307 + 1 + 0.542 < 3.85,
/// hence 4 · 2047 · 3.85 + 2 < 31600 after the vertical pass, and 31600 · 3.85 · 2^13 + 2^26 < 2^31 in the
/// horizontal one. k = 3: the same with Σ |T| < 2.94.
struct BlockKernel {
    /// One a coefficient: divisor · 2^scale, modulo 2^16.
    let multipliers: Unchecked<SIMD8<Int16>>
    /// One a coefficient: the largest magnitude as coded.
    let limits: Unchecked<SIMD8<Int16>>
    /// Groups of eight blocks.
    let groups: Int
    /// Samples from one row to the next, at least groups · 8 · k.
    let stride: Int

    /// Bits of fraction after the vertical pass; what is multiplied in it has two to the power of 16 − 14 more,
    /// since its weights have 14 bits and the product loses 16.
    private static let fraction = 2
    private static let weightBits = 14

    /// log2 of the factor with which the coefficients of row v enter the vertical pass.
    static func scale(ofRow v: Int, _ k: Int) -> Int {
        if k < 3 { return 0 }
        let isMultiplied = k == 3 ? v > 0 : v % 2 == 1
        return isMultiplied ? fraction + 16 - weightBits : fraction
    }

    /// - Parameters:
    ///   - source: groups · k² · 8 coefficients.
    ///   - rows: the first of k rows.
    /// - Returns: whether all coefficients were within their limits.
    func run(_ k: Int, _ source: Unchecked<Int16>, _ rows: UncheckedMutable<UInt8>) -> Bool {
        switch k {
        case 1: one(source, rows)
        case 2: two(source, rows)
        case 3: three(source, rows)
        default: four(source, rows)
        }
    }

    /// Coefficient `position` of eight blocks, dequantised. Where it is beyond its limit, the sign of `outside`
    /// is set: what wraps around in these sums is beyond it too.
    @inline(always)
    private func coefficient(
        _ group: Unchecked<Int16>, _ position: Int, _ outside: inout SIMD8<Int16>
    ) -> SIMD8<Int16> {
        let coded = group.load(unchecked: 8 &* position, as: SIMD8<Int16>.self)
        let limit = limits[unchecked: position]
        outside |= (limit &- coded) | (limit &+ coded)
        return coded &* multipliers[unchecked: position]
    }

    @inline(never)
    private func one(_ source: Unchecked<Int16>, _ rows: UncheckedMutable<UInt8>) -> Bool {
        var outside = SIMD8<Int16>()
        for group in 0..<groups {
            let dc = coefficient(source + 8 &* group, 0, &outside)
            rows.store(levels(dc), unchecked: 8 &* group)
        }
        return !outside.hasSign
    }

    @inline(never)
    private func two(_ source: Unchecked<Int16>, _ rows: UncheckedMutable<UInt8>) -> Bool {
        var outside = SIMD8<Int16>()
        for group in 0..<groups {
            let from = source + 32 &* group
            let to = rows + 16 &* group
            let (f00, f10) = (coefficient(from, 0, &outside), coefficient(from, 1, &outside))
            let (f01, f11) = (coefficient(from, 2, &outside), coefficient(from, 3, &outside))
            let (top0, top1) = (f00 &+ f01, f10 &+ f11)
            let (low0, low1) = (f00 &- f01, f10 &- f11)
            let top = interleaved(levels(top0 &+ top1), levels(top0 &- top1))
            let low = interleaved(levels(low0 &+ low1), levels(low0 &- low1))
            to.store(top, unchecked: 0)
            to.store(low, unchecked: stride)
        }
        return !outside.hasSign
    }

    @inline(never)
    private func three(_ source: Unchecked<Int16>, _ rows: UncheckedMutable<UInt8>) -> Bool {
        var outside = SIMD8<Int16>()
        for group in 0..<groups {
            let from = source + 72 &* group
            let to = rows + 24 &* group
            let first = column3(from, 0, &outside)
            let second = column3(from, 1, &outside)
            let third = column3(from, 2, &outside)
            store3(first.0, second.0, third.0, to)
            store3(first.1, second.1, third.1, to + stride)
            store3(first.2, second.2, third.2, to + 2 &* stride)
        }
        return !outside.hasSign
    }

    @inline(never)
    private func four(_ source: Unchecked<Int16>, _ rows: UncheckedMutable<UInt8>) -> Bool {
        var outside = SIMD8<Int16>()
        for group in 0..<groups {
            let from = source + 128 &* group
            let to = rows + 32 &* group
            let first = column4(from, 0, &outside)
            let second = column4(from, 1, &outside)
            let third = column4(from, 2, &outside)
            let fourth = column4(from, 3, &outside)
            store4(first.0, second.0, third.0, fourth.0, to)
            store4(first.1, second.1, third.1, fourth.1, to + stride)
            store4(first.2, second.2, third.2, fourth.2, to + 2 &* stride)
            store4(first.3, second.3, third.3, fourth.3, to + 3 &* stride)
        }
        return !outside.hasSign
    }

    // T(x, u) · 2^14: √(3/2), 1/√2 and √2 for k = 3; √2 · cos(π/8) and √2 · cos(3π/8) for k = 4.
    private static let threeOdd: Int16 = 20066
    private static let threeEven: Int16 = 11585
    private static let threeMiddle: Int16 = 23170
    private static let fourLarge: Int16 = 21407
    private static let fourSmall: Int16 = 8867

    typealias Column3 = (SIMD8<Int16>, SIMD8<Int16>, SIMD8<Int16>)
    typealias Column4 = (SIMD8<Int16>, SIMD8<Int16>, SIMD8<Int16>, SIMD8<Int16>)

    /// The vertical pass over column u: rows y of 0…2.
    @inline(always)
    private func column3(_ group: Unchecked<Int16>, _ u: Int, _ outside: inout SIMD8<Int16>) -> Column3 {
        let f0 = coefficient(group, u, &outside)
        let f1 = coefficient(group, 3 + u, &outside)
        let f2 = coefficient(group, 6 + u, &outside)
        let odd = highProduct(f1, Self.threeOdd)
        let even = f0 &+ highProduct(f2, Self.threeEven)
        return (even &+ odd, f0 &- highProduct(f2, Self.threeMiddle), even &- odd)
    }

    /// The vertical pass over column u: rows y of 0…3.
    @inline(always)
    private func column4(_ group: Unchecked<Int16>, _ u: Int, _ outside: inout SIMD8<Int16>) -> Column4 {
        let f0 = coefficient(group, u, &outside)
        let f1 = coefficient(group, 4 &+ u, &outside)
        let f2 = coefficient(group, 8 &+ u, &outside)
        let f3 = coefficient(group, 12 &+ u, &outside)
        let outer = highProduct(f1, Self.fourLarge) &+ highProduct(f3, Self.fourSmall)
        let inner = highProduct(f1, Self.fourSmall) &- highProduct(f3, Self.fourLarge)
        let (sum, difference) = (f0 &+ f2, f0 &- f2)
        return (sum &+ outer, difference &+ inner, difference &- inner, sum &- outer)
    }

    /// The horizontal pass over one row of eight blocks, and their 24 samples.
    @inline(always)
    private func store3(
        _ g0: SIMD8<Int16>, _ g1: SIMD8<Int16>, _ g2: SIMD8<Int16>, _ row: UncheckedMutable<UInt8>
    ) {
        let (large, small) = (Self.threeOdd / 2, Self.threeEven / 2)
        let constant = g0.widened &<< SIMD8(repeating: 13)
        let middle = constant &- pairSums(g2, g2, Self.threeMiddle / 4, Self.threeMiddle / 4)
        let left = interleaved(levels(constant &+ pairSums(g1, g2, large, small)), levels(middle))
        let right = interleaved(levels(constant &+ pairSums(g1, g2, -large, small)), SIMD8<UInt8>())
        // Four times two blocks of three samples and a zero.
        let (low, high) = interleavedPairs(left, right)
        let first = sameBits(low, as: SIMD2<UInt64>.self)
        let second = sameBits(high, as: SIMD2<UInt64>.self)
        let (a, b, c, d) = (closedUp(first[0]), closedUp(first[1]), closedUp(second[0]), closedUp(second[1]))
        row.store(a | b << 48, unchecked: 0)
        row.store(b >> 16 | c << 32, unchecked: 8)
        row.store(c >> 32 | d << 16, unchecked: 16)
    }

    /// The horizontal pass over one row of eight blocks, and their 32 samples.
    @inline(always)
    private func store4(
        _ g0: SIMD8<Int16>, _ g1: SIMD8<Int16>, _ g2: SIMD8<Int16>, _ g3: SIMD8<Int16>,
        _ row: UncheckedMutable<UInt8>
    ) {
        let (large, small) = (Self.fourLarge / 2, Self.fourSmall / 2)
        let (first, third) = (g0.widened, g2.widened)
        let (sum, difference) = (
            (first &+ third) &<< SIMD8(repeating: 13), (first &- third) &<< SIMD8(repeating: 13)
        )
        let outer = pairSums(g1, g3, large, small)
        let inner = pairSums(g1, g3, small, -large)
        let (low, high) = interleavedPairs(
            interleaved(levels(sum &+ outer), levels(difference &+ inner)),
            interleaved(levels(difference &- inner), levels(sum &- outer)))
        row.store(low, unchecked: 0)
        row.store(high, unchecked: 16)
    }
}

// Each of these is spelt lane by lane, since that is what becomes the one instruction named, or none. Vector
// comparisons and conversions become loops over the lanes or are taken apart by the shuffles around them: this
// transform was six times slower.

/// The upper 16 bits of each product: `pmulhw`.
@inline(always)
private func highProduct(_ factors: SIMD8<Int16>, _ weight: Int16) -> SIMD8<Int16> {
    @inline(always) func high(_ lane: Int) -> Int16 {
        Int16(truncatingIfNeeded: (Int32(factors[lane]) &* Int32(weight)) >> 16)
    }
    return SIMD8(high(0), high(1), high(2), high(3), high(4), high(5), high(6), high(7))
}

/// Weighted sums of two vectors: `pmaddwd`, unless both weights are powers of two.
@inline(always)
private func pairSums(
    _ one: SIMD8<Int16>, _ other: SIMD8<Int16>, _ weight: Int16, _ otherWeight: Int16
) -> SIMD8<Int32> {
    let weights = SIMD8<Int16>(
        weight, otherWeight, weight, otherWeight, weight, otherWeight, weight, otherWeight)
    @inline(always) func sum(_ pairs: SIMD8<Int16>) -> SIMD4<Int32> {
        let products = pairs.widened &* weights.widened
        return products.evenHalf &+ products.oddHalf
    }
    return SIMD8(lowHalf: sum(interleavedLow(one, other)), highHalf: sum(interleavedHigh(one, other)))
}

@inline(always)
private func interleavedLow(_ one: SIMD8<Int16>, _ other: SIMD8<Int16>) -> SIMD8<Int16> {
    SIMD8(one[0], other[0], one[1], other[1], one[2], other[2], one[3], other[3])
}

@inline(always)
private func interleavedHigh(_ one: SIMD8<Int16>, _ other: SIMD8<Int16>) -> SIMD8<Int16> {
    SIMD8(one[4], other[4], one[5], other[5], one[6], other[6], one[7], other[7])
}

/// Samples of horizontal sums, which have 13 + 2 + 3 bits of fraction: `psrad`, `packssdw`, `packuswb`.
@inline(always)
private func levels(_ sums: SIMD8<Int32>) -> SIMD8<UInt8> {
    let levels = (sums &+ SIMD8(repeating: 128 << 18 + 1 << 17)) &>> SIMD8(repeating: 18)
    @inline(always) func level(_ lane: Int) -> Int16 { Int16(truncatingIfNeeded: levels[lane]) }
    return limited(SIMD8(level(0), level(1), level(2), level(3), level(4), level(5), level(6), level(7)))
}

@inline(always)
private func limited(_ levels: SIMD8<Int16>) -> SIMD8<UInt8> {
    let (lowest, highest) = (SIMD8<Int16>(repeating: 0), SIMD8<Int16>(repeating: 255))
    let positive = levels.replacing(with: lowest, where: levels .< lowest)
    let bytes = positive.replacing(with: highest, where: positive .> highest)
    return sameBits(bytes, as: SIMD16<UInt8>.self).evenHalf
}

/// Samples of sums with 3 bits of fraction, rounded half up as libjpeg does: `psraw`, `packuswb`.
@inline(always)
private func levels(_ sums: SIMD8<Int16>) -> SIMD8<UInt8> {
    @inline(always) func level(_ lane: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((sums[lane] &+ (128 << 3 + 1 << 2)) >> 3, 0), 255))
    }
    return SIMD8(level(0), level(1), level(2), level(3), level(4), level(5), level(6), level(7))
}

@inline(always)
private func interleaved(_ even: SIMD8<UInt8>, _ odd: SIMD8<UInt8>) -> SIMD16<UInt8> {
    var bytes = SIMD16<UInt8>()
    bytes.evenHalf = even
    bytes.oddHalf = odd
    return bytes
}

/// Two bytes of the one, two of the other.
@inline(always)
private func interleavedPairs(
    _ even: SIMD16<UInt8>, _ odd: SIMD16<UInt8>
) -> (SIMD16<UInt8>, SIMD16<UInt8>) {
    var pairs = SIMD16<UInt16>()
    pairs.evenHalf = sameBits(even, as: SIMD8<UInt16>.self)
    pairs.oddHalf = sameBits(odd, as: SIMD8<UInt16>.self)
    return (
        sameBits(pairs.lowHalf, as: SIMD16<UInt8>.self), sameBits(pairs.highHalf, as: SIMD16<UInt8>.self)
    )
}

/// Two blocks of three bytes without the fourth, the first lowest.
@inline(always)
private func closedUp(_ blocks: UInt64) -> UInt64 { blocks & 0xFFFFFF | (blocks >> 32) << 24 }

extension SIMD8<Int16> {
    @inline(always)
    fileprivate var widened: SIMD8<Int32> {
        SIMD8<Int32>(
            Int32(self[0]), Int32(self[1]), Int32(self[2]), Int32(self[3]), Int32(self[4]), Int32(self[5]),
            Int32(self[6]), Int32(self[7]))
    }

    @inline(always)
    fileprivate var hasSign: Bool {
        let halves = sameBits(self, as: SIMD2<UInt64>.self)
        return (halves[0] | halves[1]) & 0x8000_8000_8000_8000 != 0
    }
}
