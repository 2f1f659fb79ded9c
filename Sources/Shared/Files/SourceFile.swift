internal import Glibc
public import Units

/// A regular file, open for reading. Closed when nobody refers to it any more.
///
/// A class, because whoever inspected the picture and whoever reads it whole share it, and the last of them
/// closes it.
public final class SourceFile: Sendable {
    /// As the job named it.
    public let path: String
    /// Under the root in which it was found, without `.` and `..`: what the default output is named after.
    public let relativePath: String
    /// When it was opened.
    public let size: ByteCount
    /// The last change of its content, in nanoseconds since 1970.
    public let modifiedNanoseconds: Int64
    /// Device and inode: the same for two names of one file.
    public let identity: Identity

    public struct Identity: Hashable, Sendable {
        public let device: UInt64
        public let inode: UInt64
    }

    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor, path: String, relativePath: String) throws(FileError) {
        let status: stat
        do throws(SystemError) { status = try descriptor.status() } catch {
            throw .sourceUnreadable(path, error)
        }
        let kind = FileKind(mode: status.st_mode)
        guard kind == .regularFile else { throw .notARegularFile(path, found: kind) }
        self.path = path
        self.relativePath = relativePath
        size = ByteCount(status.st_size)
        modifiedNanoseconds = status.modifiedNanoseconds
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        self.descriptor = descriptor
    }

    /// The `count` bytes from `offset` on; fewer only where the file ends. `offset` and `count` ≥ 0.
    /// Blocks.
    public func read(at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        precondition(offset >= 0 && count >= 0, "a file is read from its beginning on")
        var failure: SystemError?
        // No more than there is: a header may claim any length.
        let rest = max(0, size.bytes - min(offset, size.bytes))
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(min(Int64(count), rest))) {
            buffer, filled in
            do throws(SystemError) {
                filled = unsafe try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw .sourceUnreadable(path, failure) }
        return bytes
    }

    /// The whole file in memory of its own. Blocks.
    ///
    /// Throws `tooLarge` before it takes any memory, and `changedWhileRead` when the file was not the
    /// same from `open` to the last byte.
    public func readAll(limit: ByteCount) throws(FileError) -> SourceBytes {
        guard size <= limit else { throw .tooLarge(path, limit: limit, found: size) }
        // Advice only: without it the kernel reads ahead less, and nothing else changes.
        _ = posix_fadvise(descriptor.number, 0, 0, POSIX_FADV_SEQUENTIAL)
        let bytes: SourceBytes?
        let unchanged: Bool
        do throws(SystemError) {
            bytes = unsafe try SourceBytes(count: Int(size.bytes)) { buffer throws(SystemError) in
                unsafe try descriptor.read(into: buffer, at: 0)
            }
            unchanged = try isUnchanged()
        } catch {
            throw error.number == ENOMEM ? .outOfMemory(path, required: size) : .sourceUnreadable(path, error)
        }
        guard let bytes, unchanged else { throw .changedWhileRead(path) }
        return bytes
    }

    /// Whether the file still has the size and time of when it was opened, and no byte beyond.
    private func isUnchanged() throws(SystemError) -> Bool {
        let status = try descriptor.status()
        guard ByteCount(status.st_size) == size, status.modifiedNanoseconds == modifiedNanoseconds else {
            return false
        }
        // Files of /proc say that they are empty and are not.
        var beyond: UInt8 = 0
        return unsafe try withUnsafeMutableBytes(of: &beyond) { buffer throws(SystemError) in
            unsafe try descriptor.read(into: buffer, at: size.bytes)
        } == 0
    }
}

extension stat {
    fileprivate var modifiedNanoseconds: Int64 {
        // Years beyond 2262 exist on file systems with wrong clocks; equal stays equal under wrapping.
        Int64(st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(st_mtim.tv_nsec)
    }
}
