import Glibc
import PictureFormats
import Testing

/// Every file of the corpus against the format that its manifest states.
@Suite struct CorpusTests {
    @Test func `the corpus manifest and the first bytes agree`() throws {
        guard let corpus = Corpus() else { return }
        var compared = 0
        for row in corpus.rows {
            guard let head = corpus.head(of: row.path), let expected = Self.formats[row.format] else {
                continue
            }
            compared += 1
            // The manifest goes by the major brand alone, which in a `mif3` file does not tell the codec.
            let isNamedAVIF = row.format == "heic" && row.path.hasSuffix(".avif")
            #expect(sniff(head) == (isNamedAVIF ? .avif : expected), "\(row.path)")
        }
        #expect(compared > 500)
    }

    @Test func `whatever the manifest calls no picture is none`() throws {
        guard let corpus = Corpus() else { return }
        for row in corpus.rows where row.format == "empty" {
            #expect(corpus.head(of: row.path).map { sniff($0) } == .some(nil), "\(row.path)")
        }
    }

    static let formats: [String: PictureFormat] = [
        "jpeg": .jpeg, "png": .png, "gif": .gif, "webp": .webp, "tiff": .tiff, "bmp": .bmp, "heic": .heic,
        "avif": .avif,
    ]
}

/// The test pictures, where the machine has them.
struct Corpus {
    struct Row {
        var path: String
        var format: String
    }

    let root: String
    let rows: [Row]

    /// Nil if neither THUMBNAIL_CORPUS nor `../shared/corpus` beside the package has a manifest.
    init?() {
        let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let variable = unsafe getenv("THUMBNAIL_CORPUS").map { unsafe String(cString: $0) }
        root = variable ?? "/\(package)/../shared/corpus"
        guard let manifest = Self.read("\(root)/MANIFEST.tsv", limit: 16 << 20) else { return nil }
        rows = String(decoding: manifest, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return Row(path: String(fields[0]), format: String(fields[4]))
        }
    }

    func head(of path: String) -> [UInt8]? { Self.read("\(root)/\(path)", limit: PictureFormat.headLength) }

    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = unsafe fopen(path, "rb") else { return nil }
        defer { unsafe fclose(file) }
        return unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = unsafe fread(buffer.baseAddress, 1, limit, file)
        }
    }
}
