import Glibc

@testable import ScaledJPEG

extension ReducedTransform {
    /// The plain version, in Double: one block of dequantised coefficients, v · k + u.
    static func reference(_ coefficients: [Double], eighths k: Int) -> [Double] {
        (0..<k * k).map { sample in
            let (x, y) = (Double(sample % k), Double(sample / k))
            var sum = 0.0
            for v in 0..<k {
                for u in 0..<k {
                    let weight = (u == 0 ? 0.5.squareRoot() : 1) * (v == 0 ? 0.5.squareRoot() : 1)
                    sum +=
                        weight * coefficients[v * k + u]
                        * cos((2 * x + 1) * Double(u) * .pi / Double(2 * k))
                        * cos((2 * y + 1) * Double(v) * .pi / Double(2 * k))
                }
            }
            return 128 + sum / 4
        }
    }
}
