import Files
import Glibc

/// Reads paths from a list, one at a time, as they come: a list may be the output of a program that is
/// still looking.
struct FileList {
    enum Item: Equatable {
        case path(String)
        case skipped(String, SkipReason)
    }

    /// Linux takes no longer path; what is longer is no path, and is not kept in memory to find out.
    static let longestPath = 4095

    private let descriptor: Int32
    private let separator: UInt8
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Reads from `descriptor`, which stays the caller's. Names end with `separator`; the last one may
    /// do without.
    init(descriptor: Int32, separator: UInt8) {
        self.descriptor = descriptor
        self.separator = separator
    }

    /// The next path; nil at the end. Empty lines are passed over. Blocks.
    mutating func next() throws(SystemError) -> Item? {
        while let name = try nextName() {
            guard let bytes = name.bytes else { return .skipped(name.shown, .pathTooLong) }
            let trimmed = withoutCarriageReturn(bytes)
            if trimmed.isEmpty { continue }
            guard let path = String(validating: trimmed, as: UTF8.self) else {
                return .skipped(String(decoding: trimmed, as: UTF8.self), .nameIsNoText)
            }
            return .path(path)
        }
        return nil
    }

    /// Lists that were made on Windows end their lines with two bytes.
    private func withoutCarriageReturn(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        separator == UInt8(ascii: "\n") && bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    }

    /// A name's bytes, nil when they are too many, and what of it can be shown.
    private mutating func nextName() throws(SystemError) -> (bytes: ArraySlice<UInt8>?, shown: String)? {
        var overlong: String?
        while true {
            if let end = buffer[start...].firstIndex(of: separator) {
                defer { start = end + 1 }
                return result(buffer[start..<end], overlong)
            }
            if isAtEnd {
                defer { start = buffer.count }
                return start == buffer.count && overlong == nil ? nil : result(buffer[start...], overlong)
            }
            if buffer.count - start > Self.longestPath + 1 {
                overlong = overlong ?? String(decoding: buffer[start...].prefix(80), as: UTF8.self) + "…"
                start = buffer.count
            }
            try readMore()
        }
    }

    private func result(
        _ bytes: ArraySlice<UInt8>, _ overlong: String?
    ) -> (bytes: ArraySlice<UInt8>?, shown: String) {
        if let overlong { return (nil, overlong) }
        guard bytes.count <= Self.longestPath + 1 else {
            return (nil, String(decoding: bytes.prefix(80), as: UTF8.self) + "…")
        }
        return (bytes, "")
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
