import Geometry
@testable import JPEG
import TestSupport
import Testing

/// Over real files, where the corpus is at hand.
struct CorpusTests {
    private static let corpus = Corpus()

    /// Everything that begins as a JPEG does, in these folders.
    private static func files(_ folders: [String]) -> [(path: String, row: [String: String], bytes: [UInt8])]
    {
        guard let corpus else { return [] }
        return corpus.manifest.compactMap { row in
            guard let path = row["path"], folders.contains(where: { path.hasPrefix($0 + "/") }),
                let bytes = corpus.bytes(path), bytes.starts(with: [0xFF, 0xD8])
            else { return nil }
            return (path, row, bytes)
        }
    }

    @Test func `every sound file has the size and kind that the manifest says`() throws {
        for (path, row, bytes) in Self.files(["photos", "odd", "orientation"]) {
            guard let width = Int(row["width"] ?? ""), let height = Int(row["height"] ?? "") else { continue }
            let header = try JPEGHeader(parsing: bytes.span)
            #expect(header.size == PixelSize(width: width, height: height), "\(path)")
            #expect(header.components.count == Int(row["components"] ?? ""), "\(path)")
            #expect(header.precision == Int(row["bits"] ?? ""), "\(path)")
            let kind: CodingProcess.Kind? =
                switch row["coding"] {
                case "baseline": .baseline
                case "extended-seq", "arith-seq": .extended
                case "progressive", "arith-prog": .progressive
                case "lossless": .lossless
                default: nil
                }
            #expect(header.process.kind == kind, "\(path)")
        }
    }

    @Test func `the header walk and libjpeg agree wherever libjpeg accepts a header`() {
        for (path, _, bytes) in Self.files(["photos", "odd", "orientation", "broken"]) {
            do throws(JPEGError) {
                let theirs = try LibJPEG.reading(of: bytes.span)
                do throws(JPEGError) {
                    #expect(try LibJPEGReading(of: JPEGHeader(parsing: bytes.span)) == theirs, "\(path)")
                } catch {
                    Issue.record("\(path) is refused: \(error)")
                }
            } catch {
                // libjpeg reads what the walk passes over (tables), so it may refuse more.
                #expect(error != .notAJPEG)
            }
        }
    }

    @Test func `every sound file that a peer decodes decodes whole at every scale`() throws {
        guard let corpus = Self.corpus else { return }
        for (path, _, bytes) in Self.files(["photos", "odd", "orientation"]) {
            let peers = corpus.peers[path] ?? [:]
            guard peers["pillow_load"] == "ok" || peers["vips2_thumb"] == "ok" else { continue }
            for scale in DecodeScale.allCases {
                let outcome = try decode(bytes, at: scale)
                #expect(outcome.condition == .complete, "\(path) at \(scale)")
            }
        }
    }

    @Test func `no file makes the decoder fail without an error, take more than it said or lose a row`() {
        for (path, _, bytes) in Self.files(["photos", "odd", "orientation", "broken"]) {
            for scale in DecodeScale.allCases {
                do throws(JPEGError) {
                    let outcome = try decode(bytes, at: scale, onDamage: .carryOn)
                    let header = try JPEGHeader(parsing: bytes.span)
                    #expect(outcome.allocatedBytes <= header.decoderBytes(at: scale), "\(path)")
                } catch .memoryLimit {
                    Issue.record("\(path) needs more than its estimate")
                } catch {
                    // Refused: what matters is that it was refused by an error.
                    #expect(!"\(error)".isEmpty)
                }
            }
        }
    }

    @Test func `pixels of real files take no more memory than was said`() {
        for (path, _, bytes) in Self.files(["photos", "odd", "orientation"]) {
            for scale in DecodeScale.allCases {
                do throws(JPEGError) {
                    let header = try JPEGHeader(parsing: bytes.span)
                    let outcome = try JPEGDecoder(header, scale: scale).decodePixels(
                        bytes.span, memoryLimit: header.pixelDecoderBytes(at: scale), onDamage: .carryOn,
                        row: { _, _, _ in .more })
                    #expect(outcome.allocatedBytes <= header.pixelDecoderBytes(at: scale), "\(path)")
                } catch .unsupported {
                    continue
                } catch {
                    Issue.record("\(path) at \(scale): \(error)")
                }
            }
        }
    }

    /// Decodes planes, and checks that every row came.
    private func decode(
        _ bytes: [UInt8], at scale: DecodeScale, onDamage: DamagePolicy = .stop
    ) throws(JPEGError) -> DecodeOutcome {
        let header = try JPEGHeader(parsing: bytes.span)
        // Broken headers claim gigapixels; the worker refuses those before it decodes.
        guard header.size.width * header.size.height <= 300_000_000 else { throw .stopped }
        let decoder = try JPEGDecoder(header, scale: scale)
        var next = [Int](repeating: 0, count: header.components.count)
        let outcome = try decoder.decodePlanes(
            bytes.span, memoryLimit: header.decoderBytes(at: scale), onDamage: onDamage
        ) { component, row, samples in
            if row != next[component] || samples.count != decoder.planes[component].samples.width {
                Issue.record("row \(row) of component \(component) is out of order or of wrong length")
            }
            next[component] += 1
            return .more
        }
        if onDamage == .carryOn || outcome.condition == .complete {
            #expect(next == decoder.planes.map(\.samples.height))
        }
        return outcome
    }
}
