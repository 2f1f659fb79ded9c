public import Exif
public import Geometry
internal import JPEG
public import PictureFormats

/// Finds out what a file is from as few of its bytes as possible.
///
/// A value that does no I/O: read the bytes of `wanted` from the file, hand them to `take`, and repeat
/// until it answers with a picture. A read that ends early means that the file ends there.
public struct PictureInspection: Sendable {
    /// Positions in the file.
    public private(set) var wanted: Range<Int> = 0..<HeaderWalk.windowLength

    private var stage = Stage.header(HeaderWalk())

    private enum Stage: Sendable {
        case header(HeaderWalk)
        /// The header is known; its Exif segment is wanted.
        case exif(JPEGHeader)
        /// Exif says nothing; the XMP packet is wanted. What Exif said, otherwise.
        case xmp(JPEGHeader, ExifOrientation)
    }

    public init() {}

    /// Takes the bytes of `wanted`; nil means that `wanted` has moved and more is needed.
    public mutating func take(_ window: Span<UInt8>) throws(PictureError) -> InspectedPicture? {
        switch stage {
        case .header(var walk):
            if wanted.lowerBound == 0 { try Self.checkFormat(window) }
            let header: JPEGHeader?
            do throws(JPEGError) { header = try walk.take(window) } catch { throw PictureError(error) }
            guard let header else {
                wanted = walk.wanted
                stage = .header(walk)
                return nil
            }
            return try want(exifOf: header)
        case .exif(let header):
            let found = ExifOrientation.find(exif: window, xmp: nil)
            guard found.source == .absent else { return try finished(header, found) }
            return try want(xmpOf: header, after: found)
        case .xmp(let header, _):
            return try finished(header, ExifOrientation.find(exif: nil, xmp: window))
        }
    }

    /// Bytes decide, not the file's name.
    private static func checkFormat(_ window: Span<UInt8>) throws(PictureError) {
        guard window.count > 0 else { throw .empty }
        let head = [UInt8](copying: window, upTo: PictureFormat.headLength)
        guard let format = PictureFormat(firstBytes: head.span) else { throw .notAPicture }
        guard format == .jpeg else { throw .unsupported(format, detail: nil) }
    }

    private mutating func want(exifOf header: JPEGHeader) throws(PictureError) -> InspectedPicture? {
        guard let exif = header.exif else {
            return try want(xmpOf: header, after: ExifOrientation.find(exif: nil, xmp: nil))
        }
        wanted = exif
        stage = .exif(header)
        return nil
    }

    private mutating func want(
        xmpOf header: JPEGHeader, after found: ExifOrientation
    ) throws(PictureError) -> InspectedPicture? {
        guard let xmp = header.xmp else { return try finished(header, found) }
        wanted = xmp
        stage = .xmp(header, found)
        return nil
    }

    private func finished(
        _ header: JPEGHeader, _ orientation: ExifOrientation
    ) throws(PictureError) -> InspectedPicture {
        InspectedPicture(picture: try JPEGPicture(header), format: .jpeg, orientation: orientation)
    }
}

extension InspectedPicture {
    /// Inspects a file, or its first bytes, in memory.
    public init(inspecting bytes: Span<UInt8>) throws(PictureError) {
        var inspection = PictureInspection()
        while true {
            let start = min(inspection.wanted.lowerBound, bytes.count)
            let end = min(inspection.wanted.upperBound, bytes.count)
            if let picture = try inspection.take(bytes.extracting(start..<end)) {
                self = picture
                return
            }
        }
    }
}

/// What a picture's header and metadata say.
public struct InspectedPicture: Sendable {
    let picture: any SourcePicture
    public let format: PictureFormat
    public let orientation: ExifOrientation

    /// As stored, before orientation.
    public var stored: PixelSize { picture.size }
    /// As shown, after orientation.
    public var displayed: PixelSize { orientation.value.applied(to: stored) }
}

extension [UInt8] {
    fileprivate init(copying bytes: Span<UInt8>, upTo limit: Int) {
        let count = Swift.min(bytes.count, limit)
        self.init()
        reserveCapacity(count)
        for index in 0..<count { append(bytes[index]) }
    }
}
