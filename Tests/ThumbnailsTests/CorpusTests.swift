import Geometry
import JPEG
import PictureFormats
import TestSupport
import Testing
import Thumbnails
import Units

/// Every real file of the corpus, where there is one: the contract's size, or an error of the right class.
struct CorpusTests {
    static let folders = ["photos", "orientation", "odd", "broken", "other-formats"]

    @Test(arguments: folders) func `every file gives a thumbnail of the contract's size or a fitting error`(
        folder: String
    ) throws {
        guard let corpus = Corpus() else { return }
        var accepted = 0
        var refused: [String: Int] = [:]
        var disagreements: [String] = []
        for row in corpus.manifest {
            guard let path = row["path"], path.hasPrefix(folder + "/"), let bytes = corpus.bytes(path) else {
                continue
            }
            let peers = corpus.peers[path] ?? [:]
            let isAcceptedByPeers = peers["pillow_load"] == "ok" || peers["vips2_thumb"] == "ok"
            do {
                let planned = try plan(bytes, "120x120", scales: [3])
                let thumbnail = try planned.render(bytes.span, within: .max).thumbnails[0]
                accepted += 1
                let again = try planned.render(bytes.span, within: .max).thumbnails[0]
                #expect(again.encoded == thumbnail.encoded, "\(path) is not the same twice")
                let header = try JPEGHeader(parsing: thumbnail.encoded.span)
                #expect(header.size == thumbnail.size && header.size == planned.geometry.outputs[0].displayed)
                checkSize(thumbnail.size, path, row, planned)
                if !isAcceptedByPeers { disagreements.append("accepted here only: \(path)") }
            } catch let error as PictureError {
                refused[Self.kind(of: error), default: 0] += 1
                if isAcceptedByPeers, folder != "other-formats" {
                    disagreements.append("refused here only: \(path): \(error)")
                }
                if folder == "other-formats", Self.kind(of: error) != "notAPicture" {
                    #expect(Self.kind(of: error) == "unsupported", "\(path): \(error)")
                }
            }
        }
        print("corpus \(folder): \(accepted) accepted, refused \(refused.sorted { $0.key < $1.key })")
        if folder != "broken" {
            #expect(disagreements.isEmpty, "\(disagreements)")
        } else {
            // Peers show damaged pictures, half grey; here they are errors that count the good rows.
            for disagreement in disagreements {
                #expect(
                    disagreement.contains("rows are good") || disagreement.contains("needs")
                        || disagreement.contains("not supported")
                        || disagreement.contains("accepted here only")
                        || disagreement.contains("any picture format"), "\(disagreement)")
            }
        }
    }

    /// The longer side fills the box and the aspect is right to the pixel.
    private func checkSize(_ size: PixelSize, _ path: String, _ row: [String: String], _ plan: RenderPlan) {
        guard let width = Int(row["width"] ?? ""), let height = Int(row["height"] ?? "") else { return }
        #expect(plan.picture.stored == PixelSize(width: width, height: height), "\(path)")
        let shown = plan.picture.displayed
        if max(width, height) <= 360 {
            #expect(size == shown, "\(path)")
        } else {
            #expect(size.longSide == 360, "\(path)")
            let exact = Double(shown.shortSide) * 360 / Double(shown.longSide)
            #expect(abs(Double(size.shortSide) - max(1, exact)) <= 0.5, "\(path)")
        }
    }

    @Test func `the same picture gives the same bytes`() throws {
        for name in ["landscape-420.jpg", "landscape-progressive.jpg", "icc-one-chunk.jpg"] {
            let bytes = Fixture.bytes(name)
            let first = try render(bytes, "77x77", scales: [1, 2]).thumbnails.map(\.encoded)
            let second = try render(bytes, "77x77", scales: [1, 2]).thumbnails.map(\.encoded)
            #expect(first == second)
        }
    }

    private static func kind(of error: PictureError) -> String {
        switch error {
        case .empty, .notAPicture: "notAPicture"
        case .unsupported: "unsupported"
        case .damaged: "damaged"
        case .truncated, .truncatedHeader: "truncated"
        case .refused: "refused"
        case .geometry: "geometry"
        case .stopped, .changed, .needsMemory, .failed: "our fault: \(error)"
        }
    }
}
