import Geometry
@testable import JPEG
@testable import ScaledJPEG
import TestSupport
import Testing

/// Damaged files: declined, or decoded to what libjpeg-turbo makes of them.
struct SequentialMutantTests {
    @Test(arguments: 0..<300)
    func `a damaged file is declined, or has libjpeg's samples at 1/8`(seed: UInt64) throws {
        var encoder = PlainEncoder(random: seed % 30)
        (encoder.width, encoder.height) = (encoder.width % 40 + 1, encoder.height % 40 + 1)
        let sound = encoder.file()
        var random = SplitMix(seed: seed)
        for _ in 0..<10 {
            let mutant = Mutant.of(sound, random: &random)
            for k in 1...4 {
                guard let picture = try? sequential(mutant, eighths: k), k == 1 else { continue }
                expectLibjpegSamples(picture, of: mutant, "seed \(seed)")
            }
        }
    }

    @Test func `a file cut off anywhere is declined`() {
        var encoder = PlainEncoder(random: 3)
        let bytes = encoder.file()
        for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 500)) {
            #expect(throws: Declined.self) { try sequential(Array(bytes[..<length]), eighths: 1) }
        }
    }

    @Test func `a whole byte between a scan and the marker behind it is declined`() throws {
        var encoder = PlainEncoder(random: 8)
        (encoder.sampling, encoder.scans, encoder.restartIntervals) = ([(h: 1, v: 1)], [[0]], [3])
        let bytes = encoder.file()
        _ = try sequential(bytes, eighths: 1)
        for marker in bytes.indices.dropLast() where bytes[marker] == 0xFF {
            guard bytes[marker + 1] == 0xD9 || 0xD0...0xD7 ~= bytes[marker + 1] else { continue }
            var longer = bytes
            longer.insert(0x55, at: marker)
            #expect(throws: Declined.self) { try sequential(longer, eighths: 1) }
        }
    }

    @Test func `padding may be of any bits`() throws {
        for seed in 0..<50 {
            var encoder = PlainEncoder(random: UInt64(seed))
            (encoder.sampling, encoder.scans, encoder.restartIntervals) = ([(h: 1, v: 1)], [[0]], [0])
            var bytes = encoder.file()
            let expected = try sequential(bytes, eighths: 2)
            // Before FF D9: the last bit is padding, unless the last byte is full or stuffed.
            let last = bytes.count - 3
            guard bytes[last] != 0 else { continue }
            bytes[last] &= 0xFE
            guard let found = try? sequential(bytes, eighths: 2) else { continue }
            let isSame = (0..<found.planes[0].rows).allSatisfy { y in
                let row = found.planes[0].withRow(y) { row in row.indices.map { row[$0] } }
                return row == expected.planes[0].withRow(y) { row in row.indices.map { row[$0] } }
            }
            // A full byte's last bit may be of a coefficient that this scale keeps.
            if isSame { return }
        }
        Issue.record("no padding was accepted")
    }

    @Test func `a caller that wants no more is heard in every row`() throws {
        var encoder = PlainEncoder(random: 12)
        (encoder.width, encoder.height) = (20, 64)
        (encoder.sampling, encoder.scans, encoder.restartIntervals) = ([(h: 1, v: 1)], [[0]], [0])
        let bytes = encoder.file()
        var asked = 0
        let error = #expect(throws: Declined.self) {
            _ = try ScaledDecoder.decode(
                bytes.span, at: .eighth,
                shouldStop: {
                    asked += 1
                    return asked == 5
                })
        }
        #expect(error == .stopped)
    }
}
