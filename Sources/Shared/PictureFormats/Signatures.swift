extension PictureFormat {
    /// How many first bytes of a file the decision may look at; fewer are fine where the file is shorter.
    /// The longest look is at the compatible brands of an ISO media file, and past the XML
    /// declaration of an SVG drawing.
    public static let headLength = 256

    /// The kind of picture that begins with these bytes; nil if no known one does.
    public init?(firstBytes: Span<UInt8>) {
        let head = firstBytes.extracting(first: Self.headLength)
        guard let format = Self.bySignature(head) ?? Self.byISOBrand(head) ?? Self.byText(head) else {
            return nil
        }
        self = format
    }

    /// Formats that begin with fixed bytes.
    private static func bySignature(_ head: Span<UInt8>) -> PictureFormat? {
        // FF D8 alone: files exist with other bytes than FF before their first segment, and open everywhere.
        if head.has([0xFF, 0xD8]) { return .jpeg }
        if head.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if head.has("GIF87a") || head.has("GIF89a") { return .gif }
        if head.has("RIFF"), head.has("WEBP", at: 8) { return .webp }
        if let raw = rawBySignature(head) { return raw }
        if head.has([0x49, 0x49, 0xBC]) { return .jpegXR }
        // Classic and BigTIFF, both byte orders.
        if head.has([0x49, 0x49, 0x2A, 0x00]) || head.has([0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
        if head.has([0x49, 0x49, 0x2B, 0x00]) || head.has([0x4D, 0x4D, 0x00, 0x2B]) { return .tiff }
        if head.has("BM"), isBitmapHeader(head) { return .bmp }
        if head.has([0xFF, 0x0A]) || head.has([0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A]) {
            return .jpegXL
        }
        if head.has([0xFF, 0x4F, 0xFF, 0x51])
            || head.has([0, 0, 0, 12] + Array("jP  \r\n".utf8) + [0x87, 0x0A])
        {
            return .jpeg2000
        }
        if head.has("8BPS") { return .psd }
        if isIconDirectory(head) { return .ico }
        if head.has("qoif") { return .qoi }
        if head.has("DDS ") { return .dds }
        if head.has([0x76, 0x2F, 0x31, 0x01]) { return .openEXR }
        if head.has("#?RADIANCE") || head.has("#?RGBE") { return .radianceHDR }
        if head.has("icns") { return .icns }
        if head.has("%PDF-") { return .pdf }
        if isNetpbmHeader(head) { return .netpbm }
        return nil
    }

    /// Raw formats, before TIFF, which some of them imitate.
    private static func rawBySignature(_ head: Span<UInt8>) -> PictureFormat? {
        if head.has([0x49, 0x49, 0x2A, 0x00]), head.has("CR", at: 8) { return .canonRaw }
        if head.has("II"), head.has("HEAPCCDR", at: 6) { return .canonRaw }
        if head.has("ftypcrx ", at: 4) { return .canonRaw }
        if head.has("FUJIFILMCCD-RAW") { return .fujifilmRaw }
        if head.has("IIRO") || head.has("IIRS") || head.has("MMOR") { return .olympusRaw }
        if head.has([0x49, 0x49, 0x55, 0x00]) { return .panasonicRaw }
        if head.has("FOVb") { return .sigmaRaw }
        return nil
    }

    /// "BM" alone begins many a text; the length of the header that follows does not.
    private static func isBitmapHeader(_ head: Span<UInt8>) -> Bool {
        guard head.count >= 18 else { return false }
        let headerLength = head.littleEndian32(at: 14)
        return (12...256).contains(headerLength)
    }

    /// A directory of icons (1) or cursors (2) that is not empty, and whose first entry has its zero byte.
    private static func isIconDirectory(_ head: Span<UInt8>) -> Bool {
        guard head.has([0, 0, 1, 0]) || head.has([0, 0, 2, 0]), head.count >= 10 else { return false }
        return (head[4] != 0 || head[5] != 0) && head[9] == 0
    }

    /// P1…P7 and white space.
    private static func isNetpbmHeader(_ head: Span<UInt8>) -> Bool {
        guard head.count >= 3, head[0] == UInt8(ascii: "P") else { return false }
        return (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(head[1]) && head[2].isWhiteSpace
    }

    /// ISO media files: an `ftyp` box with a major brand and a list of compatible ones.
    private static func byISOBrand(_ head: Span<UInt8>) -> PictureFormat? {
        guard head.has("ftyp", at: 4), head.count >= 12 else { return nil }
        let boxEnd = min(head.bigEndian32(at: 0), head.count)
        // The major brand, then behind its version number the compatible ones. `mif1` and `msf1` as the
        // major brand only say "a picture by somebody's codec"; the list tells which.
        let compatible = boxEnd >= 20 ? Array(stride(from: 16, through: boxEnd - 4, by: 4)) : []
        // `mif3` has no list: it names the codec in place of the version.
        let offsets = [8] + (head.has("mif3", at: 8) ? [12] : compatible)
        if offsets.contains(where: { head.has("avif", at: $0) || head.has("avis", at: $0) }) { return .avif }
        let heifBrands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "mif3", "msf1"]
        if offsets.contains(where: { offset in heifBrands.contains { head.has($0, at: offset) } }) {
            return .heic
        }
        let filmBrands = [
            "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "qt  ", "M4V ", "avc1", "3gp4", "3gp5",
        ]
        if offsets.contains(where: { offset in filmBrands.contains { head.has($0, at: offset) } }) {
            return .isoMovie
        }
        return nil
    }

    /// SVG: text whose first element, behind a byte order mark and an XML declaration, is `svg`.
    private static func byText(_ head: Span<UInt8>) -> PictureFormat? {
        var start = head.has([0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < head.count, head[start].isWhiteSpace { start += 1 }
        if head.has("<svg", at: start) { return .svg }
        guard
            head.has("<?xml", at: start) || head.has("<!--", at: start)
                || head.has("<!DOCTYPE svg", at: start)
        else {
            return nil
        }
        return (start..<head.count).contains { head.has("<svg", at: $0) || head.has("<!DOCTYPE svg", at: $0) }
            ? .svg : nil
    }
}

extension Span<UInt8> {
    fileprivate func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
        guard count - offset >= bytes.count else { return false }
        return bytes.indices.allSatisfy { self[offset + $0] == bytes[$0] }
    }

    fileprivate func has(_ text: String, at offset: Int = 0) -> Bool {
        has(Array(text.utf8), at: offset)
    }

    fileprivate func littleEndian32(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }

    fileprivate func bigEndian32(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(self[offset + $1]) }
    }
}

extension UInt8 {
    fileprivate var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
