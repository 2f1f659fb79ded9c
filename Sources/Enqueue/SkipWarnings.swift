/// Tells of files that the user may have wanted to be enqueued, but not of each of a thousand.
struct SkipWarnings {
    static let most = 20

    private let tell: (String) -> Void
    private var count = 0

    init(tell: @escaping (String) -> Void) { self.tell = tell }

    mutating func note(_ path: String, _ reason: SkipReason) {
        guard reason.deservesWarning else { return }
        count += 1
        if count <= Self.most { tell("skipped “\(path)”: \(reason)") }
    }

    func close() {
        if count > Self.most { tell("… and \(count - Self.most) more were skipped like these") }
    }
}
