/// Which scans of a progressive file a scale needs, and what for.
struct ScanSelection {
    /// Parallel to the script's scans; nil = passed over.
    let uses: [ScanUse?]
    /// Bits of each component's 64 coefficients that are sent and not read, in zig-zag order; without meaning
    /// for coefficients that are not kept.
    let leftOut: [[Int]]
    /// The components whose blocks must remember which of their coefficients are not zero.
    let remembering: Set<Int>

    /// Decided from the last scan to the first: a scan is read when its band holds a coefficient that is
    /// wanted itself, or whose being zero or not steers a later scan that is read.
    ///
    /// - Parameter unread: one a component: bits of its AC coefficients that need not be read, from the lowest.
    init(_ script: ProgressiveScript, at scales: ComponentScales, unread: [Int]) {
        let kept = unread.indices.map { KeptCoefficients(eighths: scales[$0]).mask }
        var needed = [Int: UInt64]()
        var refined = [Int: UInt64]()
        var uses: [ScanUse?] = []
        for header in script.scans.reversed().map(\.header) {
            let component = header.components[0].index
            let band = header.band
            let isUnwanted = header.isRefinement && header.lowBit < unread[component]
            let isNeeded =
                header.isDC || !isUnwanted && band & needed[component, default: kept[component]] != 0
            let steers = band & refined[component, default: 0] != 0
            uses.append(isNeeded ? ScanUse(recordsHistory: steers) : nil)
            guard isNeeded, !header.isDC else { continue }
            needed[component, default: kept[component]] |= band
            if header.isRefinement { refined[component, default: 0] |= band }
        }
        self.uses = uses.reversed()
        remembering = Set(refined.keys)
        leftOut = Self.leftOut(of: script, self.uses, components: unread.count)
    }

    /// Follows the scans forwards: what has been sent of each coefficient, less what has been read.
    private static func leftOut(
        of script: ProgressiveScript, _ uses: [ScanUse?], components: Int
    ) -> [[Int]] {
        let none = [[Int]](repeating: [Int](repeating: 0, count: 64), count: components)
        var (sent, read) = (none, none)
        for (header, use) in zip(script.scans.map(\.header), uses) {
            for component in header.components.map(\.index) {
                for position in header.firstCoefficient...header.lastCoefficient {
                    sent[component][position] = header.lowBit
                    if use != nil { read[component][position] = header.lowBit }
                }
            }
        }
        return zip(read, sent).map { zip($0, $1).map { max(0, $0 - $1) } }
    }
}

/// How a scan is read.
struct ScanUse: Equatable {
    /// A later scan that is read refines this one's coefficients, and must know which are not zero.
    let recordsHistory: Bool
}

/// The k × k coefficients of a block that are kept, AC only.
struct KeptCoefficients {
    /// k.
    let eighths: Int
    /// How far behind the first the coefficient of each zig-zag position is kept, 0 = nowhere. Twice as many
    /// as there are coefficients, since a run may point beyond the last.
    let offsets = LookupTable<UInt8>(width: 7, repeating: 0)
    /// A bit for each zig-zag position that is kept; DC, which is always kept, is not among them.
    let mask: UInt64
    /// The same up to the last that is kept, without gaps.
    let lowest: UInt64

    init(eighths k: Int) {
        eighths = k
        lowest = 2 << UInt64(ZigZag.last(eighths: k)) - 1
        var mask: UInt64 = 0
        for (slot, position) in ReducedTransform.positions(eighths: k).enumerated().dropFirst() {
            offsets.fill(position..<position + 1, with: UInt8(slot * BlockGroups.size))
            mask |= 1 << UInt64(position)
        }
        self.mask = mask
    }
}

extension ScanHeader {
    /// A bit for each zig-zag position from the first coefficient to the last.
    var band: UInt64 { (~0 << UInt64(firstCoefficient)) & (~0 >> UInt64(63 - lastCoefficient)) }
}
