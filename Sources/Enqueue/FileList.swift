import Files
import Glibc

/// Reads paths from a list, one at a time, as they come: a list may be the output of a program that is
/// still looking.
struct FileList {
    enum Item: Equatable {
        case path(String)
        case skipped(String, SkipReason)
        /// The list goes on, but nothing more came before the deadline.
        case nothingYet
    }

    private enum Name {
        case bytes(ArraySlice<UInt8>)
        /// What of it can be shown.
        case overlong(String)
        case notYet
    }

    /// Linux takes no longer path; what is longer is no path, and is not kept in memory to find out.
    static let longestPath = 4095

    private let descriptor: Int32
    private let separator: UInt8
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The beginning of a name that is too long and has not ended yet.
    private var overlong: String?

    /// Reads from `descriptor`, which stays the caller's. Names end with `separator`; the last one may
    /// do without.
    init(descriptor: Int32, separator: UInt8) {
        self.descriptor = descriptor
        self.separator = separator
    }

    /// The next path; nil at the end. Empty lines are passed over. Blocks, until the deadline if there
    /// is one.
    mutating func next(until deadline: ContinuousClock.Instant? = nil) throws(SystemError) -> Item? {
        while let name = try nextName(until: deadline) {
            switch name {
            case .notYet: return .nothingYet
            case .overlong(let beginning): return .skipped(beginning, .pathTooLong)
            case .bytes(let bytes):
                let trimmed = withoutCarriageReturn(bytes)
                if trimmed.isEmpty { continue }
                guard let path = String(validating: trimmed, as: UTF8.self) else {
                    return .skipped(String(decoding: trimmed, as: UTF8.self), .nameIsNoText)
                }
                return .path(path)
            }
        }
        return nil
    }

    /// Lists that were made on Windows end their lines with two bytes.
    private func withoutCarriageReturn(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        separator == UInt8(ascii: "\n") && bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    }

    private mutating func nextName(until deadline: ContinuousClock.Instant?) throws(SystemError) -> Name? {
        while true {
            if let end = buffer[start...].firstIndex(of: separator) {
                defer { start = end + 1 }
                return name(buffer[start..<end])
            }
            if isAtEnd {
                defer { start = buffer.count }
                return start == buffer.count && overlong == nil ? nil : name(buffer[start...])
            }
            if buffer.count - start > Self.longestPath + 1 {
                overlong = overlong ?? Self.beginning(of: buffer[start...])
                start = buffer.count
            }
            if let deadline, !hasMore(before: deadline) { return .notYet }
            try readMore()
        }
    }

    private mutating func name(_ bytes: ArraySlice<UInt8>) -> Name {
        defer { overlong = nil }
        if let overlong { return .overlong(overlong) }
        guard bytes.count <= Self.longestPath + 1 else { return .overlong(Self.beginning(of: bytes)) }
        return .bytes(bytes)
    }

    private static func beginning(of bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(80), as: UTF8.self) + "…"
    }

    /// Whether bytes, or the end, come before the deadline. An error counts: reading tells it.
    private func hasMore(before deadline: ContinuousClock.Instant) -> Bool {
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, Int32((left / .milliseconds(1)).rounded(.up))) != 0
    }

    private mutating func readMore() throws(SystemError) {
        buffer.removeFirst(start)
        start = 0
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(errno) }
            isAtEnd = count == 0
            buffer += chunk.prefix(count)
            return
        }
    }
}
