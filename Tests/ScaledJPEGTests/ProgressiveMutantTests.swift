import Geometry
@testable import JPEG
@testable import ScaledJPEG
import ScaledOracle
import TestSupport
import Testing

/// Damaged progressive files: declined, or decoded to what libjpeg-turbo makes of them.
struct ProgressiveMutantTests {
    @Test(arguments: 0..<200)
    func `a damaged file is declined or decoded, at any scale, with an automaton or without`(seed: UInt64)
        throws
    {
        var encoder = ProgressivePlainEncoder(random: seed % 30)
        (encoder.width, encoder.height) = (encoder.width % 40 + 1, encoder.height % 40 + 1)
        let sound = try encoder.file().bytes
        var random = SplitMix(seed: seed)
        for _ in 0..<10 {
            let mutant = Mutant.of(sound, random: &random)
            for k in 1...4 {
                let picture = try? progressive(mutant, eighths: k, unread: nil)
                let pairs = try? progressive(mutant, eighths: k, unread: nil, fewestBlocks: .max)
                #expect(picture?.samples == pairs?.samples, "seed \(seed) at \(k)/8")
            }
        }
    }

    @Test(arguments: 0..<200)
    func `a damaged file that libjpeg accepts is declined, or has libjpeg's samples at 1/8`(seed: UInt64)
        throws
    {
        var encoder = ProgressivePlainEncoder(random: seed % 30)
        (encoder.width, encoder.height) = (encoder.width % 40 + 1, encoder.height % 40 + 1)
        let sound = try encoder.file().bytes
        var random = SplitMix(seed: 500 + seed)
        for _ in 0..<10 {
            let mutant = Mutant.of(sound, random: &random)
            // Damage of scans that are passed over is not seen.
            guard let picture = try? progressive(mutant, eighths: 1),
                let theirs = try? libjpegSamples(mutant, at: .eighth), theirs.outcome.condition == .complete
            else { continue }
            expectLibjpegSamples(picture, of: mutant, "seed \(seed)")
        }
    }

    @Test func `a file cut off anywhere is declined`() throws {
        var encoder = ProgressivePlainEncoder(random: 3)
        let bytes = try encoder.file().bytes
        for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 500)) {
            for k in [1, 4] {
                #expect(throws: Declined.self) { try progressive(Array(bytes[..<length]), eighths: k) }
            }
        }
    }

    @Test func `a whole byte between a scan that is read and the marker behind it is declined`() throws {
        var encoder = ProgressivePlainEncoder(random: 8)
        encoder.sampling = [(h: 1, v: 1)]
        encoder.scans = [
            .init(components: [0], band: 0...0, highBit: nil, lowBit: 1, restartInterval: 3),
            .init(components: [0], band: 1...63, highBit: nil, lowBit: 1, restartInterval: 3),
            .init(components: [0], band: 1...63, highBit: 1, lowBit: 0),
            .init(components: [0], band: 0...0, highBit: 1, lowBit: 0),
        ]
        let bytes = try encoder.file().bytes
        _ = try progressive(bytes, eighths: 4)
        var segments = try SegmentReader(bytes.span)
        let first = try segments.nextScan(in: bytes.span)
        for marker in (first?.dataStart ?? 0)..<bytes.count - 1 where bytes[marker] == 0xFF {
            // Behind the last scan, or one of its intervals.
            guard bytes[marker + 1] == 0xD9 || 0xD0...0xD7 ~= bytes[marker + 1] else { continue }
            var longer = bytes
            longer.insert(0x55, at: marker)
            #expect(throws: Declined.self) { try progressive(longer, eighths: 4) }
        }
    }

    @Test func `a restart marker too many, too few or out of turn is declined in scans that are passed over`()
        throws
    {
        var encoder = ProgressivePlainEncoder(random: 9)
        (encoder.width, encoder.height, encoder.sampling) = (64, 64, [(h: 1, v: 1)])
        encoder.scans = [
            .init(components: [0], band: 0...0, highBit: nil, lowBit: 0),
            .init(components: [0], band: 1...63, highBit: nil, lowBit: 0, restartInterval: 7),
        ]
        let bytes = try encoder.file().bytes
        _ = try progressive(bytes, eighths: 1)
        let markers = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && 0xD0...0xD7 ~= bytes[$0 + 1] }
        #expect(markers.count == 9)
        for marker in markers {
            var (missing, doubled, wrong) = (bytes, bytes, bytes)
            missing.removeSubrange(marker...marker + 1)
            doubled.insert(contentsOf: bytes[marker...marker + 1], at: marker)
            wrong[marker + 1] ^= 1
            for broken in [missing, doubled, wrong] {
                #expect(throws: Declined.self) { try progressive(broken, eighths: 1) }
            }
        }
    }

    @Test func `a caller that wants no more is heard in every row, and while scans are passed over`() throws {
        var encoder = ProgressivePlainEncoder(random: 12)
        (encoder.width, encoder.height, encoder.sampling) = (20, 64, [(h: 1, v: 1)])
        var random = SplitMix(seed: 12)
        encoder.scans = ProgressivePlainEncoder.script(components: 1, random: &random)
        let bytes = try encoder.file().bytes
        for limit in 1...8 {
            var asked = 0
            let error = #expect(throws: Declined.self) {
                _ = try ScaledDecoder.decode(
                    bytes.span, at: .eighth,
                    shouldStop: {
                        asked += 1
                        return asked == limit
                    })
            }
            #expect(error == .stopped)
        }
        let long = [UInt8](repeating: 1, count: 3 * Stretch.searched) + [0xFF, 0xD9]
        var asked = 0
        #expect(throws: Declined.stopped) {
            _ = try ScanSearch(restarts: 0).end(
                from: 0, in: long.span,
                shouldStop: {
                    asked += 1
                    return asked == 2
                })
        }
    }
}
