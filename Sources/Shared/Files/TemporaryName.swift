/// The name of a file that is not yet finished: `.tmp-WORKER-0123456789abcdef`. It says whose it is, so
/// that the strays of a worker that died can be told from what others are writing.
struct TemporaryName: Equatable {
    static let prefix = ".tmp-"
    private static let randomDigits = 16

    let tag: String
    private let random: String

    /// A new name that nobody else has: 64 random bits.
    init(tag: String) {
        self.tag = tag
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        random = String(repeating: "0", count: Self.randomDigits - digits.count) + digits
    }

    /// Reads a name of our own pattern; nil for every other.
    init?(_ name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let parts = name.dropFirst(Self.prefix.count)
        guard let dash = parts.lastIndex(of: "-") else { return nil }
        tag = String(parts[..<dash])
        random = String(parts[parts.index(after: dash)...])
        let isRandom = random.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        guard Self.isTag(tag), random.utf8.count == Self.randomDigits, isRandom else { return nil }
    }

    var text: String { "\(Self.prefix)\(tag)-\(random)" }

    /// 1–64 letters, digits, `-` and `_` of ASCII.
    static func isTag(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}
