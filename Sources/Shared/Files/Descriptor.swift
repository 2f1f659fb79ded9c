internal import CLinux
internal import Glibc
internal import Units

/// An open file descriptor with exactly one owner; closed when the owner goes.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    /// Takes over an open descriptor.
    private init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // Nothing can be done about an error here; where it matters, `closeReportingErrors` is called.
        _ = Glibc.close(number)
    }

    /// Closes now. A network file system may report only here that what was written did not fit.
    consuming func closeReportingErrors() throws(SystemError) {
        let number = self.number
        discard self
        // Linux closes the descriptor even if it answers EINTR.
        guard Glibc.close(number) == 0 || errno == EINTR else { throw .last }
    }

    /// The result of an open call: a descriptor, or why there is none. Repeats when a signal came between.
    static func opening(_ open: () -> Int32) throws(SystemError) -> Descriptor {
        while true {
            let number = open()
            if number >= 0 { return Descriptor(owning: number) }
            guard errno == EINTR else { throw .last }
        }
    }

    /// What is open.
    func status() throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last }
        return status
    }

    /// Reads at `offset` until `buffer` is full or the file ends; the number of bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = unsafe pread(number, rest.baseAddress, rest.count, Int(offset) + filled)
            if count > 0 {
                filled += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw .last
            }
        }
        return filled
    }

    /// Writes all of `bytes` at the descriptor's position.
    func write(_ bytes: RawSpan) throws(SystemError) {
        let failure: SystemError? = unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                let count = unsafe Glibc.write(number, rest.baseAddress, rest.count)
                if count >= 0 { written += count } else if errno != EINTR { return .last }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Waits until what was written, or for a directory its entries, is on the disk.
    func synchronise() throws(SystemError) {
        while fsync(number) != 0 {
            guard errno == EINTR else { throw .last }
        }
    }
}

extension FileKind {
    init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .regularFile
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            case S_IFCHR: .characterDevice
            case S_IFBLK: .blockDevice
            default: .unknown
            }
    }
}
