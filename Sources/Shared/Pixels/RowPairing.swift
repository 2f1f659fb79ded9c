// How source rows are kept for the row kernel: two by two, the samples of a column side by side.

extension UInt8 {
    static var midGrey: UInt8 { 128 }

    static func stored(_ pairElement: UInt8) -> UInt8 { pairElement }

    @inline(never)
    static func interleave(
        _ even: UnsafePointer<UInt8>, _ odd: UnsafePointer<UInt8>, count: Int,
        into pairs: UnsafeMutablePointer<UInt8>
    ) {
        unsafe interleaveRows(even, odd, count: count, into: pairs, flipping: 0)
    }
}

extension UInt16 {
    /// Level 128 of sRGB in linear light.
    static var midGrey: UInt16 { TransferFunction.linear(128) }

    static func stored(_ pairElement: UInt16) -> UInt16 { pairElement ^ signFlip }

    @inline(never)
    static func interleave(
        _ even: UnsafePointer<UInt16>, _ odd: UnsafePointer<UInt16>, count: Int,
        into pairs: UnsafeMutablePointer<UInt16>
    ) {
        unsafe interleaveRows(even, odd, count: count, into: pairs, flipping: signFlip)
    }

    /// Flipping the top bit subtracts 2¹⁵, as a signed number.
    private static var signFlip: UInt16 { 0x8000 }
}

@inline(__always)
private func interleaveRows<Sample: KernelSample>(
    _ even: UnsafePointer<Sample>, _ odd: UnsafePointer<Sample>, count: Int,
    into pairs: UnsafeMutablePointer<Sample>,
    flipping bits: Sample
) {
    var column = 0
    let flip = SIMD16<Sample>(repeating: bits)
    // Whole vectors within the row, which may end where its memory does.
    while column <= count - 8 {
        var both = SIMD16<Sample>()
        both.evenHalf = unsafe UnsafeRawPointer(even + column).loadUnaligned(as: SIMD8<Sample>.self)
        both.oddHalf = unsafe UnsafeRawPointer(odd + column).loadUnaligned(as: SIMD8<Sample>.self)
        unsafe UnsafeMutableRawPointer(pairs + 2 * column).storeBytes(
            of: both ^ flip, as: SIMD16<Sample>.self)
        column += 8
    }
    while column < count {
        unsafe pairs[2 * column] = even[column] ^ bits
        unsafe pairs[2 * column + 1] = odd[column] ^ bits
        column += 1
    }
}
