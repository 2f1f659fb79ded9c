internal import Synchronization

/// The weights that were needed last, kept for pictures of the same sizes: most uploads come from a few kinds of
/// phone, through one pipeline. Of a picture of 20 KB calculating them is 6 % of the time.
enum RecentWeights {
    /// Four for each of four kinds of pictures: luma and chroma, columns and rows.
    private static let most = 16
    /// Larger ones are calculated in a small part of the time that their pictures take. All together take 256 KiB at
    /// most, of the 32 MiB that a worker may hold beside its budget.
    private static let largest = 16 << 10

    /// The one that was needed last is at the end.
    private static let kept = Mutex<[FilterWeights]>([])

    /// The weights of an axis, calculated if they are not there.
    static func weights(of axis: Axis) -> FilterWeights {
        let found = kept.withLock { kept -> FilterWeights? in
            guard let place = kept.lastIndex(where: { $0.axis == axis }) else { return nil }
            let found = kept.remove(at: place)
            kept.append(found)
            return found
        }
        if let found { return found }
        let made = FilterWeights(axis)
        if FilterWeights.allocatedBytes(axis) <= largest {
            kept.withLock { kept in
                if kept.count == most { kept.removeFirst() }
                kept.append(made)
            }
        }
        return made
    }
}
