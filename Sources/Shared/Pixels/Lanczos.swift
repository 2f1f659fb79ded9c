/// The Lanczos window of three lobes, sinc(x) · sinc(x/3), in plain IEEE operations: a C library's
/// `sin` may differ in its last bit between machines, and the same job must give the same bytes.
enum Lanczos {
    /// Where the window ends: it is zero from here on.
    static let support = 3.0

    /// Four at a time, which takes the time of one: a value is a long chain of steps that each wait for the last.
    /// The weights of a picture of 480 columns took 80 µs one by one.
    static func values(_ x: SIMD4<Double>) -> SIMD4<Double> {
        let x = x.replacing(with: -x, where: x .< SIMD4(repeating: 0))
        // sin πx = 3s − 4s³ with s = sin πx/3, so one sine serves both factors:
        // 3 · s · (3s − 4s³) / (πx)².
        let squared = squaredSines(x / 3)
        let values = squared * (9 - 12 * squared) / (Double.pi * Double.pi * x * x)
        // Below 1e-8 the value is 1 to within half a unit of Double's last place.
        return
            values
            .replacing(with: 1, where: x .< SIMD4(repeating: 1e-8))
            .replacing(with: 0, where: x .>= SIMD4(repeating: support))
    }

    /// sin²(πy) for y in 0…1: Taylor's polynomial of degree 15, off by less than 1e-11 where a
    /// weight's last bit is 6e-5.
    private static func squaredSines(_ y: SIMD4<Double>) -> SIMD4<Double> {
        let rest = 1 - y
        let angle = Double.pi * y.replacing(with: rest, where: rest .< y)
        let square = angle * angle
        var sum = SIMD4(repeating: -1.0 / 1_307_674_368_000)
        sum = sum * square + 1.0 / 6_227_020_800
        sum = sum * square - 1.0 / 39_916_800
        sum = sum * square + 1.0 / 362_880
        sum = sum * square - 1.0 / 5040
        sum = sum * square + 1.0 / 120
        sum = sum * square - 1.0 / 6
        sum = sum * square + 1
        let sine = angle * sum
        return sine * sine
    }
}
