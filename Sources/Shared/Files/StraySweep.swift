internal import Glibc
internal import Units

extension OutputDirectory {
    /// How deep the sweep looks: one descriptor a level, and far deeper than photo collections are.
    static let deepestSweep = 64

    /// Removes unfinished files that dead workers left behind: names of our own pattern, not of this
    /// worker, last written more than `age` ago, and whose worker `isAlive` denies. Answers how many.
    ///
    /// Walks the whole tree: for once at the start, on a thread of its own. Directories
    /// that cannot be read are passed over: another sweep, or another worker's, will see them.
    public func sweepStrayFiles(
        olderThan age: Duration = .seconds(3_600), isAlive: (String) -> Bool
    ) throws(FileError) -> Int {
        let oldest = Timestamp.now().milliseconds - age.wholeMilliseconds
        let top = try OpenDirectory(path)
        return try sweep(top, depth: 0) { tag, modified in
            tag != workerTag && modified < oldest && !isAlive(tag)
        }
    }

    private func sweep(
        _ directory: borrowing OpenDirectory, depth: Int, isStray: (_ tag: String, _ modified: Int64) -> Bool
    ) throws(FileError) -> Int {
        var removed = 0
        for entry in try directory.entries() {
            if entry.kind == .directory, depth < Self.deepestSweep {
                do throws(FileError) {
                    removed += try sweep(directory.directory(entry), depth: depth + 1, isStray: isStray)
                } catch {
                    continue
                }
            }
            guard entry.kind == .regularFile, let name = entry.name, let temporary = TemporaryName(name),
                let modified = directory.modifiedMilliseconds(ofFileNamed: name),
                isStray(temporary.tag, modified)
            else { continue }
            if unsafe unlinkat(directory.descriptor.number, name, 0) == 0 { removed += 1 }
        }
        return removed
    }
}

extension OpenDirectory {
    /// Nil when it has gone away.
    fileprivate func modifiedMilliseconds(ofFileNamed name: String) -> Int64? {
        var status = stat()
        guard unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) &* 1_000 &+ Int64(status.st_mtim.tv_nsec) / 1_000_000
    }
}
