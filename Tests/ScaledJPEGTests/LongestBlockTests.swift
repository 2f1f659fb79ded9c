import Geometry
@testable import ScaledJPEG
import Testing

/// Blocks as long as there can be, which run over the end of their data. Each access is looked at in tests, so one beyond
/// the memory behind a window would trap.
struct LongestBlockTests {
    /// Behind the data come zeros, and these are the longest symbol there is: a code of 16 bits and 15 bits of a value.
    @Test(arguments: [1, 2, 3, 100, 2479, 2480, 2481])
    func `a block that runs over the end of the data stays inside of the window's tail`(length: Int) {
        let data = [UInt8](repeating: 0, count: length)
        // Ten blocks an MCU, as many as are allowed.
        let sequential = Self.file(
            frame: 0xC0, sampling: [0x22, 0x22, 0x21],
            scans: [(components: [0, 1, 2], spectrum: [0, 63, 0x00], data)])
        let progressive = Self.file(
            frame: 0xC2, sampling: [0x11],
            scans: [
                // Of 256 blocks, each a code that says that nothing changes.
                (components: [0], spectrum: [0, 0, 0x00], [UInt8](repeating: 0, count: 256 * 2)),
                (components: [0], spectrum: [1, 63, 0x00], data),
            ])
        for file in [sequential, progressive] {
            // At 1/8 the AC scan is passed over.
            for scale in ScaledDecoder.scales where file == sequential || scale != .eighth {
                for fewestBlocks in [0, .max] {
                    #expect(throws: Declined.self) {
                        try ScaledDecoder.decode(file.span, at: scale, fewestBlocks: fewestBlocks)
                    }
                }
            }
        }
    }

    private static func file(
        frame: UInt8, sampling: [UInt8], scans: [(components: [UInt8], spectrum: [UInt8], [UInt8])]
    ) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        func segment(_ marker: UInt8, _ body: [UInt8]) {
            bytes += [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        }
        segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        segment(
            frame,
            [8, 0, 128, 0, 128, UInt8(sampling.count)]
                + sampling.enumerated().flatMap { [UInt8($0), $1, 0] })
        // One code each, of sixteen zeros.
        let counts = [UInt8](repeating: 0, count: 15) + [1]
        segment(0xC4, [0x00] + counts + [frame == 0xC0 ? 0x0B : 0x00])
        segment(0xC4, [0x10] + counts + [0x0F])
        for (components, spectrum, data) in scans {
            segment(0xDA, [UInt8(components.count)] + components.flatMap { [$0, 0x00] } + spectrum)
            bytes += data
        }
        return bytes + [0xFF, 0xD9]
    }
}
