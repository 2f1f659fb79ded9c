import Geometry
import JPEG
import TestSupport
import Testing

struct DamageTests {
    @Test func `a file cut in half says how many rows are good`() throws {
        let decoded = try Decoded(Fixture.bytes("cut-half.jpg"), onDamage: .carryOn)
        guard case .truncated(let good, of: 427) = decoded.outcome.condition else {
            Issue.record("\(decoded.outcome.condition)")
            return
        }
        #expect((150...300).contains(good))
        #expect(decoded.hasPromisedSizes)
        // They are good: the same as in the whole file.
        let whole = try Decoded(Fixture.bytes("landscape-420.jpg"))
        #expect(Array(decoded.planes[0][..<good]) == Array(whole.planes[0][..<good]))
        #expect(decoded.planes[0] != whole.planes[0])
    }

    @Test func `an end of image in the middle is as bad as the end of the file`() throws {
        let cut = try Decoded(Fixture.bytes("cut-half.jpg")).outcome.condition
        #expect(try Decoded(Fixture.bytes("cut-half-with-end.jpg")).outcome.condition == cut)
        #expect(cut != .complete)
    }

    @Test func `a cut at a restart marker is truncation`() throws {
        guard
            case .truncated(let good, of: 427) =
                try Decoded(Fixture.bytes("cut-at-restart.jpg"), onDamage: .carryOn).outcome.condition
        else {
            Issue.record("not truncated")
            return
        }
        #expect(good == 64)
    }

    @Test func `a progressive file cut before its last scan has no good rows`() throws {
        let early = try Decoded(Fixture.bytes("cut-progressive-early.jpg"), onDamage: .carryOn)
        #expect(early.outcome.condition == .truncated(rowsGood: 0, of: 427))
        #expect(early.hasPromisedSizes)
    }

    @Test func `a progressive file cut in its last scan has the rows that it reached`() throws {
        let late = try Decoded(Fixture.bytes("cut-progressive-late.jpg"), onDamage: .carryOn)
        guard case .truncated(let good, of: 427) = late.outcome.condition else {
            Issue.record("\(late.outcome.condition)")
            return
        }
        let whole = try Decoded(Fixture.bytes("landscape-progressive.jpg"))
        #expect(good > 0)
        #expect(Array(late.planes[0][..<good]) == Array(whole.planes[0][..<good]))
    }

    @Test func `changed bytes are damage, with the rows above them`() throws {
        for name in ["damaged", "restart-missing", "restart-after-rubbish"] {
            let decoded = try Decoded(Fixture.bytes(name + ".jpg"), onDamage: .carryOn)
            guard case .damaged(let good, of: 427) = decoded.outcome.condition else {
                Issue.record("\(name): \(decoded.outcome.condition)")
                continue
            }
            let whole = try Decoded(Fixture.bytes("landscape-restarts.jpg"))
            #expect(good >= 64)
            #expect(Array(decoded.planes[0][..<good]) == Array(whole.planes[0][..<good]))
        }
    }

    @Test func `an interval padded to a word leaves the picture whole`() throws {
        let padded = try Decoded(Fixture.bytes("restart-padded.jpg"))
        #expect(padded.outcome.condition == .complete)
        #expect(try padded.planes == Decoded(Fixture.bytes("landscape-restarts.jpg")).planes)
    }

    @Test func `a component without a scan is damage`() throws {
        let decoded = try Decoded(Fixture.bytes("scans-without-chroma.jpg"))
        #expect(decoded.outcome.condition == .damaged(rowsGood: 0, of: 45))
    }

    @Test func `stopping at damage delivers no damaged row`() throws {
        let stopped = try Decoded(Fixture.bytes("cut-half.jpg"), onDamage: .stop)
        let carried = try Decoded(Fixture.bytes("cut-half.jpg"), onDamage: .carryOn)
        #expect(stopped.outcome.condition == carried.outcome.condition)
        let rows = stopped.planes[0].count
        #expect(rows < 427)
        #expect(stopped.planes[0] == Array(carried.planes[0][..<rows]))
    }

    @Test func `a cut at any byte is complete or says that it is not`() throws {
        let file = Fixture.bytes("sampling-420.jpg")
        let whole = try Decoded(file)
        for length in stride(from: whole.header.firstScan + 14, to: file.count, by: 7) {
            let decoded = try Decoded(Array(file[..<length]), onDamage: .carryOn)
            #expect(decoded.hasPromisedSizes)
            if decoded.outcome.condition == .complete { #expect(decoded.planes == whole.planes) }
        }
    }

    @Test func `picture data may be anything`() throws {
        for name in ["sampling-420", "scans-separate", "lossless-rgb", "landscape-grey-progressive"] {
            var file = Fixture.bytes(name + ".jpg")
            let start = try JPEGHeader(parsing: file.span).firstScan
            var seed: UInt64 = 1
            for _ in 0..<60 {
                for _ in 0..<8 {
                    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    file[start + Int(seed >> 33) % (file.count - start)] = UInt8(
                        truncatingIfNeeded: seed >> 20)
                }
                do throws(JPEGError) {
                    let decoded = try Decoded(file, at: .half, onDamage: .carryOn)
                    #expect(decoded.hasPromisedSizes)
                } catch {
                    #expect(!"\(error)".isEmpty)
                }
            }
        }
    }

    @Test func `a file that is no longer the one whose header was read is refused`() throws {
        let names = ["lossless-rgb", "landscape-420", "landscape-progressive"]
        for name in names {
            let header = try JPEGHeader(parsing: Fixture.bytes(name + ".jpg").span)
            let decoder = try JPEGDecoder(header, scale: .full)
            for other in names.filter({ $0 != name }) + ["empty", "header-cut", "scans-500"] {
                let file = Fixture.bytes(other + ".jpg")
                #expect(throws: JPEGError.self) {
                    try decoder.decodePlanes(
                        file.span, memoryLimit: header.decoderBytes(at: .full), row: { _, _, _ in .more })
                }
            }
        }
    }
}
