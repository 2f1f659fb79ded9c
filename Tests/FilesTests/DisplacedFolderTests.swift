import Files
import Glibc
import Testing

/// Whether what was opened is still where it was.
struct DisplacedFolderTests {
    private let scratch = Scratch()

    @Test func `a root is in place whatever changes inside of it`() throws {
        let photos = scratch.directory("photos")
        let roots = try SourceRoots([photos])
        #expect(roots.displaced == [])
        scratch.file("photos/a.jpg")
        _ = scratch.directory("photos/more")
        #expect(unsafe chmod(photos, 0o700) == 0)
        #expect(roots.displaced == [])
    }

    @Test func `a root that was removed, renamed or replaced is displaced, and the others are not`() throws {
        let (kept, lost) = (scratch.directory("kept"), scratch.directory("lost"))
        let roots = try SourceRoots([kept, lost])
        #expect(unsafe rename(lost, lost + ".old") == 0)
        #expect(roots.displaced == [lost])
        _ = scratch.directory("lost")
        #expect(roots.displaced == [lost])
        #expect(unsafe rmdir(lost) == 0 && rename(lost + ".old", lost) == 0)
        #expect(roots.displaced == [])
        #expect(unsafe rmdir(lost) == 0)
        #expect(roots.displaced == [lost])
    }

    @Test func `an output with something mounted over it is displaced`() throws {
        let output = try OutputDirectory(scratch.path("thumbs"), workerTag: "w")
        #expect(output.isInPlace)
        guard scratch.mountMemory(over: scratch.path("thumbs"), options: "size=256k") else { return }
        #expect(!output.isInPlace)
    }
}
