public import Geometry

/// Everything that a JPEG says before its first scan, as libjpeg-turbo reads it.
///
/// Byte ranges are positions in the file.
public struct JPEGHeader: Hashable, Sendable {
    /// Stored size in pixels, each side 1…65535.
    public let size: PixelSize
    public let process: CodingProcess
    /// Bits a sample.
    public let precision: Int
    /// In the frame's order; at least one.
    public let components: [Component]
    public let colour: ColourModel
    /// An Adobe marker stands in the file: its CMYK is stored inverted (0 = full ink).
    public let hasAdobeMarker: Bool
    /// libjpeg's rule: progressive, or the first scan lacks a component. Such files keep every
    /// coefficient in memory.
    public let isMultiScan: Bool
    /// MCUs between restart markers; 0 = none.
    public let restartInterval: Int
    /// Payload of the first Exif segment, beginning with `Exif\0\0`.
    public let exif: Range<Int>?
    /// XML of the first standard XMP packet.
    public let xmp: Range<Int>?
    /// In file order, as found; `ICCProfile.assemble` checks them.
    public let iccChunks: [ICCChunk]
    /// Where the first scan's marker stands.
    public let firstScan: Int
    /// Oddities that do not keep the picture from being decoded.
    public let notes: Set<Note>

    public struct Component: Hashable, Sendable {
        public let id: UInt8
        /// Horizontal and vertical sampling factors, 1…4.
        public let h: Int
        public let v: Int
    }

    public enum ColourModel: Hashable, Sendable {
        case grey, yCbCr, rgb, cmyk, ycck
        /// A number of components that has no agreed colours.
        case unknown
    }

    public struct ICCChunk: Hashable, Sendable {
        /// 1…total in a sound file.
        public let sequence: UInt8
        public let total: UInt8
        public let range: Range<Int>
    }

    public enum Note: String, Hashable, Sendable, CaseIterable {
        /// Bytes between segments that belong to none.
        case bytesBetweenSegments
        /// A sequential scan with the parameters of a progressive one, as some phones write.
        case wrongScanParameters
        /// A multi-picture file (MPO, HDR gain map, …); only the first picture counts.
        case multiplePictures
        /// No Huffman table: a frame of motion JPEG, decoded with the standard ones.
        case standardHuffmanTables
        /// A second Exif segment, which is ignored.
        case severalExifSegments
        /// Unknown Adobe colour transform; the usual one was assumed.
        case guessedColourTransform
        /// The file has no end-of-image marker, but every row of the picture.
        case missingEndOfImage
        /// Bytes behind the end of the image.
        case trailingData
        /// Unused bytes between scans or inside one.
        case bytesInsideScan
        /// ICC chunks that do not make up a profile.
        case brokenICCProfileDropped
        /// A profile of inks; the thumbnail is red, green and blue.
        case inkProfileDropped
    }

    public var maximumH: Int { components.reduce(1) { max($0, $1.h) } }
    public var maximumV: Int { components.reduce(1) { max($0, $1.v) } }
}

extension JPEGHeader {
    /// Parses a file, or its first bytes, in memory.
    public init(parsing bytes: Span<UInt8>) throws(JPEGError) {
        var walk = HeaderWalk()
        while true {
            let start = min(walk.wanted.lowerBound, bytes.count)
            let end = min(walk.wanted.upperBound, bytes.count)
            if let header = try walk.take(bytes.extracting(start..<end)) {
                self = header
                return
            }
        }
    }

    /// Largest side that libjpeg decodes (its JPEG_MAX_DIMENSION).
    static let largestSide = 65500
    /// The strip buffers hold one plane a component; the standard's colours need at most four.
    static let mostComponents = 4

    /// Throws `.unsupported` for what the decoder cannot decode, without touching the picture.
    public func checkDecodable() throws(JPEGError) {
        if process.isDifferential || (process.kind == .lossless && process.isArithmetic) {
            throw .unsupported(.process(process))
        }
        if process.kind == .lossless {
            guard (2...8).contains(precision) else { throw .unsupported(.precision(bits: precision)) }
            guard components.allSatisfy({ $0.h == components[0].h && $0.v == components[0].v }), !isMultiScan
            else { throw .unsupported(.losslessLayout) }
        } else if precision != 8 {
            throw .unsupported(.precision(bits: precision))
        }
        guard components.count != 2, components.count <= Self.mostComponents else {
            throw .unsupported(.componentCount(components.count))
        }
        guard size.width <= Self.largestSide, size.height <= Self.largestSide else {
            throw .unsupported(
                .size(width: size.width, height: size.height, limit: Self.largestSide))
        }
    }
}
