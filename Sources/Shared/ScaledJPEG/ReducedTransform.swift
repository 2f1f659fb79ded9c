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
    /// One a position, eight times over: by what a coefficient is multiplied, and how large it may be
    /// before. `BlockKernel` says why.
    private let multipliers: [SIMD8<Int16>]
    private let limits: [SIMD8<Int16>]

    /// Dequantised coefficients beyond this are declined: twice what samples of 8 bits can give, and the
    /// most that sixteen bits of arithmetic take.
    static let largestCoefficient = 2047

    /// - Parameter quantisation: the component's divisors.
    init(eighths k: Int, _ quantisation: QuantisationTable) {
        self.k = k
        let positions = Self.positions(eighths: k)
        self.positions = positions
        multipliers = (0..<k * k).map { index in
            let divisor = Int(quantisation.divisors[positions[index]])
            return SIMD8(
                repeating: Int16(truncatingIfNeeded: divisor << BlockKernel.scale(ofRow: index / k, k)))
        }
        limits = positions.map { position in
            SIMD8(repeating: Int16(Self.largestCoefficient / Int(quantisation.divisors[position])))
        }
    }

    /// Zig-zag positions of the k × k coefficients, row by row.
    static func positions(eighths k: Int) -> [Int] {
        (0..<k * k).map { ZigZag.position(u: $0 % k, v: $0 / k) }
    }

    /// Turns a row of blocks into samples, k rows of the plane.
    ///
    /// - Parameters:
    ///   - coefficients: as they were coded, not dequantised, laid out by `BlockGroups`.
    ///   - blockRow: counted from the top of the plane.
    /// - Returns: false when a coefficient is larger than any picture's; the samples are worthless then.
    func transform(_ coefficients: Span<Int16>, into plane: ScaledPlane, blockRow: Int) -> Bool {
        let groups = BlockGroups(blocks: plane.stride / k, eighths: k)
        let start = blockRow * k * plane.stride
        precondition(
            coefficients.count == groups.coefficients && plane.stride == groups.count * BlockGroups.size * k
                && blockRow >= 0 && start + k * plane.stride <= plane.samples.count)
        return multipliers.withUnchecked { multipliers in
            limits.withUnchecked { limits in
                coefficients.withUnchecked { coefficients in
                    BlockKernel(
                        multipliers: multipliers, limits: limits, groups: groups.count, stride: plane.stride
                    ).run(k, coefficients, plane.samples.elements + start)
                }
            }
        }
    }
}
