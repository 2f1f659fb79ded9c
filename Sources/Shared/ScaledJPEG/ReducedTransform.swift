import Glibc

/// The inverse DCT of the lowest k × k frequencies of 8 × 8: k × k samples, as if the picture had been
/// band-limited and sampled at the centres of its larger pixels.
///
///     f(x, y) = 128 + 1/4 · Σu Σv C(u) C(v) F(u, v) cos((2x + 1)uπ / 2k) cos((2y + 1)vπ / 2k),  u, v < k
///
/// with C(0) = 1/√2 and C = 1 otherwise. For k = 1 that is F(0, 0) / 8, which libjpeg rounds half up.
struct ReducedTransform {
    let k: Int
    /// Zig-zag positions of the k × k coefficients, row by row (v · k + u).
    let positions: [Int]

    init(eighths k: Int) {
        self.k = k
        positions = (0..<k * k).map { ZigZag.position(u: $0 % k, v: $0 / k) }
    }

    /// The plain version, in Double: one block of dequantised coefficients, v · k + u.
    func reference(_ coefficients: [Double]) -> [Double] {
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

/// The order in which a block's coefficients are stored.
enum ZigZag {
    /// Natural index (8 · v + u) of each zig-zag position.
    static let natural: [Int] = (0..<15).flatMap { diagonal -> [Int] in
        let cells = (0...diagonal).filter { $0 < 8 && diagonal - $0 < 8 }.map { 8 * $0 + diagonal - $0 }
        return diagonal % 2 == 0 ? cells.reversed() : cells
    }

    static func position(u: Int, v: Int) -> Int { natural.firstIndex(of: 8 * v + u) ?? 0 }

    /// The last zig-zag position that a k × k block needs: 0, 4, 12, 24 for k of 1 to 4.
    static func last(eighths k: Int) -> Int { position(u: k - 1, v: k - 1) }
}
