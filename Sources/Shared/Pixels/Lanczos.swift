/// The Lanczos window of three lobes, sinc(x) · sinc(x/3), in plain IEEE operations: a C library's
/// `sin` may differ in its last bit between machines, and the same job must give the same bytes.
enum Lanczos {
    /// Where the window ends: it is zero from here on.
    static let support = 3.0

    static func value(_ x: Double) -> Double {
        let x = x.magnitude
        if x >= support { return 0 }
        // Below this the value is 1 to within half a unit of Double's last place.
        if x < 1e-8 { return 1 }
        // sin πx = 3s − 4s³ with s = sin πx/3, so one sine serves both factors:
        // 3 · s · (3s − 4s³) / (πx)².
        let squared = squaredSine(x / 3)
        return squared * (9 - 12 * squared) / (Double.pi * Double.pi * x * x)
    }

    /// sin²(πy) for y in 0…1: Taylor's polynomial of degree 15, off by less than 1e-11 where a
    /// weight's last bit is 6e-5.
    private static func squaredSine(_ y: Double) -> Double {
        let angle = Double.pi * min(y, 1 - y)
        let square = angle * angle
        var sum = -1.0 / 1_307_674_368_000
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
