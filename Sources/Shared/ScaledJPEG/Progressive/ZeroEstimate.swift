/// What those zeros stand for whose last bits were left out: small coefficients of unknown sign.
///
/// Where a picture is smooth they follow from the means of the blocks around, as libjpeg has it for pictures
/// that are not sent whole (block smoothing): a ramp from block to block goes on inside of the block. Where it
/// is not, the means differ by more than the zero allows, and the estimate fades out.
///
/// Measured as `UnreadBits` says: two bits of smooth pictures with quantisers of 1 cost 0.4 dB at most with it
/// and 0.8 without, one bit of chroma that is halved sideways 0.50 and not 0.89.
struct ZeroEstimate {
    private let groups: BlockGroups
    /// Blocks of the picture; more are stored.
    private let columns: Int
    private let rows: Int

    /// What a ramp has of the means' differences, 36/256 and 5/256, times 0.65: a zero tells that the ramp is
    /// not the steepest. In 2^16ths.
    private static let straight: Int32 = 5990
    private static let diagonal: Int32 = 832

    init(_ groups: BlockGroups, of component: FrameComponent) {
        self.groups = groups
        (columns, rows) = (component.blockColumns, component.blockRows)
    }

    /// Replaces zeros of the three lowest AC coefficients.
    ///
    /// - Parameters:
    ///   - values: a component's coefficients, multiplied by their quantisers, none larger than
    ///     `ReducedTransform.largestCoefficient`; in rows of blocks as `BlockGroups` lays them out.
    ///   - limits: how large each of the k × k coefficients may be where it came as zero; below 2^14.
    func fill(_ values: UncheckedMutable<Int16>, _ count: Int, limits: [Int]) {
        let k = groups.k
        precondition(k > 1 && limits.count == k * k && count >= rows * groups.coefficients)
        let width = groups.count * BlockGroups.size + 2
        // The DC coefficients of the rows above, here and below, with one more at both ends.
        var means = [Int16](repeating: 0, count: 3 * width)
        means.withUncheckedMutable { means in
            var (above, here, below) = (means, means + width, means + 2 * width)
            copyMeans(values.reading, to: above)
            copyMeans(values.reading, to: here)
            for row in 0..<rows {
                // Beyond the last row the picture goes on as it ends.
                copyMeans(values.reading + min(row + 1, rows - 1) * groups.coefficients, to: below)
                let around = MeansAround(
                    above: above.reading + 1, here: here.reading + 1, below: below.reading + 1)
                fill(values + row * groups.coefficients, around, limits)
                (above, here, below) = (here, below, above)
            }
        }
    }

    /// A row's DC coefficients, with its first and last ones again at the ends.
    private func copyMeans(_ row: Unchecked<Int16>, to means: UncheckedMutable<Int16>) {
        let size = BlockGroups.size
        for group in 0..<groups.count {
            let eight = row.load(unchecked: group * groups.k * groups.k * size, as: SIMD8<Int16>.self)
            means.store(eight, unchecked: 1 + group * size)
        }
        means[unchecked: 0] = means[unchecked: 1]
        means[unchecked: columns + 1] = means[unchecked: columns]
    }

    private func fill(_ row: UncheckedMutable<Int16>, _ means: MeansAround, _ limits: [Int]) {
        let k = groups.k
        for group in 0..<groups.count {
            let place = row + group * k * k * BlockGroups.size
            let ramp = means.differences(group * BlockGroups.size)
            // v · k + u: one step to the right, one down, both.
            fillZeros(place + 8, ramp.sideways, Self.straight, limit: limits[1])
            fillZeros(place + 8 * k, ramp.down, Self.straight, limit: limits[k])
            fillZeros(place + 8 * (k + 1), ramp.both, Self.diagonal, limit: limits[k + 1])
        }
    }

    /// One coefficient of eight blocks.
    @inline(always)
    private func fillZeros(
        _ place: UncheckedMutable<Int16>, _ difference: SIMD8<Int16>, _ weight: Int32, limit: Int
    ) {
        let zero = SIMD8<Int16>()
        let sign = difference &>> 15
        // At most 4 · 2047, so that twice as much is a number, too.
        let twice = ((difference ^ sign) &- sign) &<< 1
        let product = SIMD8<Int32>(truncatingIfNeeded: twice) &* SIMD8<Int32>(repeating: weight)
        let size = (SIMD8<Int16>(truncatingIfNeeded: product &>> 16) &+ 1) &>> 1
        // As large as it is up to 13/16 of the limit, and smaller by as much as it is larger than that.
        let reach = SIMD8(repeating: Int16(truncatingIfNeeded: limit &* 13 / 8))
        let left = reach &- size
        let smaller = size.replacing(with: left, where: left .< size)
        let estimate = smaller.replacing(with: zero, where: smaller .< zero)
        let value = place.load(unchecked: 0, as: SIMD8<Int16>.self)
        place.store(value.replacing(with: (estimate ^ sign) &- sign, where: value .== zero), unchecked: 0)
    }
}

/// The DC coefficients around a row of blocks, each row with one more at both ends.
private struct MeansAround {
    let above: Unchecked<Int16>
    let here: Unchecked<Int16>
    let below: Unchecked<Int16>

    typealias Eight = SIMD8<Int16>

    /// Of eight blocks: left less right, above less below, and the former above less the former below.
    @inline(always)
    func differences(_ block: Int) -> (sideways: Eight, down: Eight, both: Eight) {
        (
            eight(here, block - 1) &- eight(here, block + 1),
            eight(above, block) &- eight(below, block),
            (eight(above, block - 1) &- eight(above, block + 1))
                &- (eight(below, block - 1) &- eight(below, block + 1))
        )
    }

    @inline(always)
    private func eight(_ row: Unchecked<Int16>, _ block: Int) -> Eight {
        row.load(unchecked: block, as: Eight.self)
    }
}
