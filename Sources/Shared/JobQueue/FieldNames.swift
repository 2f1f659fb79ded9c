/// The fields of a job by name, and which unknown ones look like a slip of one of them.
enum FieldNames {
    static let known = ["source", "pt", "scale", "output", "quality", "id", "batch", "v"]

    /// `scales` where `scale` is meant: unknown fields that are one edit or the case of letters away from a known
    /// one, as sentences, in the order of the known fields. Short names are near to everything, so only the case
    /// of their letters counts.
    static func slips(among fields: some Sequence<[UInt8]>) -> [String] {
        // A job may have thousands of fields; a few tell what is wrong, and looking at all would take long.
        let unknown = fields.filter { (1...longest).contains($0.count) }
            .sorted { $0.lexicographicallyPrecedes($1) }.prefix(mostLookedAt)
            .map { String(decoding: $0, as: UTF8.self) }.filter { !known.contains($0) }
        let slips = known.flatMap { name in
            unknown.filter { isSlip($0, of: name) }.map { "unknown field \($0), did you mean \(name)?" }
        }
        return Array(slips.prefix(most))
    }

    private static let longest = 8
    private static let most = known.count
    private static let mostLookedAt = 256
    private static let shortestWithEdits = 5

    private static func isSlip(_ text: String, of name: String) -> Bool {
        let (letters, wanted) = (Array(text.lowercased()), Array(name))
        return letters == wanted || (wanted.count >= shortestWithEdits && isOneEdit(letters, wanted))
    }

    /// One letter more, less or other, or two neighbours swapped.
    private static func isOneEdit(_ left: [Character], _ right: [Character]) -> Bool {
        let start = zip(left, right).prefix { $0 == $1 }.count
        let (a, b) = (left.dropFirst(start), right.dropFirst(start))
        let rests: [(ArraySlice<Character>, ArraySlice<Character>)] = [
            (a.dropFirst(), b), (a, b.dropFirst()), (a.dropFirst(), b.dropFirst()),
        ]
        if rests.contains(where: { $0 == $1 }) { return true }
        return a.count >= 2 && b.count >= 2 && Array(a.prefix(2)) == Array(b.prefix(2).reversed())
            && a.dropFirst(2) == b.dropFirst(2)
    }
}
