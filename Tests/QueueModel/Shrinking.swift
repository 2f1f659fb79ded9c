extension Array {
    /// A short part of the elements, in their order, that still fails: no single one can be left out.
    ///
    /// - Parameter fails: called for each try; must not depend on what was tried before.
    public func shrunk(while fails: ([Element]) async throws -> Bool) async rethrows -> [Element] {
        var best = self
        var length = Swift.max(1, best.count / 2)
        while true {
            var hasShrunk = false
            var start = 0
            while start < best.count {
                let end = Swift.min(start + length, best.count)
                let shorter = Array(best[..<start] + best[end...])
                if try await fails(shorter) {
                    best = shorter
                    hasShrunk = true
                } else {
                    start = end
                }
            }
            if length == 1, !hasShrunk { return best }
            length = Swift.max(1, length / 2)
        }
    }
}
