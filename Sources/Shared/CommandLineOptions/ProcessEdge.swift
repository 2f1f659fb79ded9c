internal import Glibc

/// The environment of this process. Names that occur twice, which no shell makes, have their last value;
/// what is no UTF-8 is repaired. To be read at the start, before there are threads that could change it.
public func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var next = unsafe environ
    while let variable = unsafe next.pointee {
        let text = unsafe String(cString: variable)
        if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
            variables[String(text[..<equals])] = String(text[text.utf8.index(after: equals)...])
        }
        unsafe next += 1
    }
    return variables
}

/// Writes a text and a newline to standard error, for the moments before a log is set up or where a
/// person is spoken to. An error is ignored: there is nobody left to tell.
public func writeToStandardError(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    var written = 0
    while written < bytes.count {
        let count = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe write(
                2, UnsafeBufferPointer(rebasing: buffer[written...]).baseAddress, bytes.count - written)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        written += count
    }
}
