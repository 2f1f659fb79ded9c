/// Cuts a stream of RESP2 bytes, the protocol of Redis, into whole commands or whole replies.
struct WireStream {
    private var bytes: [UInt8] = []
    /// Where the value under way begins, and how far it has been understood.
    private var start = 0
    private var position = 0
    /// Values still to come until it is whole: an array stands for as many as it has elements.
    private var missing = 1

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// The next whole value with all its bytes; nil until it has arrived.
    mutating func next() -> [UInt8]? {
        while missing > 0 {
            guard let line = Self.line(of: bytes, from: position) else { return nil }
            var end = line.end
            var elements = 0
            switch bytes[position] {
            case UInt8(ascii: "*"): elements = max(line.number, 0)
            case UInt8(ascii: "$"): end += line.number < 0 ? 0 : line.number + 2
            default: break
            }
            guard end <= bytes.count else { return nil }
            missing += elements - 1
            position = end
        }
        let value = Array(bytes[start..<position])
        (start, missing) = (position, 1)
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            (start, position) = (0, 0)
        }
        return value
    }

    /// The first words of a command, which is an array of bulk strings.
    static func words(of command: [UInt8], atMost limit: Int) -> [[UInt8]] {
        var words: [[UInt8]] = []
        guard var position = line(of: command, from: 0)?.end else { return [] }
        while words.count < limit, position < command.count,
            let (length, start) = line(of: command, from: position)
        {
            guard length >= 0, start + length <= command.count else { break }
            words.append(Array(command[start..<start + length]))
            position = start + length + 2
        }
        return words
    }

    /// The number after a line's first byte (0 if it is none), and where the next line begins.
    private static func line(of bytes: [UInt8], from start: Int) -> (number: Int, end: Int)? {
        guard start < bytes.count, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        let text = String(
            decoding: bytes[(start + 1)..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        return (Int(text) ?? 0, end + 1)
    }
}
