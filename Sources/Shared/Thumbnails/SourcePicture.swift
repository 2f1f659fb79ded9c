internal import Geometry
internal import Pixels

/// The decoders' seam: what a picture's header says, and its rows.
///
/// A new format is one more conformance: facts and footprint come from the header, before anything large
/// is allocated; rows go to the resamplers as they come, and no whole scaled picture is held.
protocol SourcePicture: Sendable {
    /// As stored, before orientation.
    var size: PixelSize { get }
    var colour: SourceColour { get }
    /// Oddities that did not keep the header from being read.
    var notes: Set<String> { get }

    /// The planes that `decodePlanes` delivers at this scale, one a component.
    func planes(at scale: DecodeScale) -> [SourcePlane]
    /// The pixels that `decodePixels` delivers at this scale.
    func pixels(at scale: DecodeScale) -> SourcePlane
    /// Upper bound of what a decode allocates, in bytes.
    func decoderBytes(at scale: DecodeScale, layout: SourceLayout) -> Int
    /// Throws what speaks against decoding a file of this length, before memory is spent on it.
    func check(fileBytes: Int) throws(PictureError)
    /// The length of the colour profile that `colourProfile` gives, at most.
    var profileBytes: Int { get }
    /// The embedded colour profile, byte for byte. Nil without one, or if what there is cannot be passed on;
    /// then the note says why.
    func colourProfile(in bytes: Span<UInt8>) -> (profile: [UInt8]?, note: String?)

    /// Delivers rows of stored components (`.planes`, each at its own resolution) or of interleaved
    /// pixels (`.pixels`, as component 0), from the top, until the picture ends or `shouldStop` says so.
    func decode(
        _ bytes: Span<UInt8>, at scale: DecodeScale, layout: SourceLayout, acceptsDamage: Bool,
        shouldStop: () -> Bool, row: (_ component: Int, _ samples: Span<UInt8>) -> Void
    ) throws(PictureError) -> SourceDecode
}

/// What the samples of a picture mean.
enum SourceColour: Hashable, Sendable {
    case grey, yCbCr, rgb
    case cmyk(ColourConversion.InkPolarity)
    case ycck(ColourConversion.InkPolarity)

    var components: Int {
        switch self {
        case .grey: 1
        case .yCbCr, .rgb: 3
        case .cmyk, .ycck: 4
        }
    }
}

enum SourceLayout: Hashable, Sendable {
    /// Each component as it is stored.
    case planes
    /// Grey, RGB or CMYK pixels.
    case pixels
}

/// One plane as a decoder delivers it: `samples` rows and columns, of which `extentWidth` × `extentHeight`,
/// real numbers, are picture.
struct SourcePlane: Hashable, Sendable {
    let samples: PixelSize
    let extentWidth: Double
    let extentHeight: Double
}

/// How a decode went.
struct SourceDecode: Sendable {
    let notes: Set<String>
    /// Stored rows that are as the encoder wrote them; nil if all are.
    let rowsGood: Int?
}
