internal import Geometry
internal import Pixels

/// The decoders' seam, first half: what a picture's header says, and who can decode it.
///
/// A new format is one more conformance: facts and footprint come from the header, before anything large
/// is allocated.
protocol SourcePicture: Sendable {
    /// As stored, before orientation.
    var size: PixelSize { get }
    var colour: SourceColour { get }
    /// Oddities that did not keep the header from being read.
    var notes: Set<String> { get }

    /// Throws what speaks against decoding a file of this length, before memory is spent on it.
    func check(fileBytes: Int) throws(PictureError)
    /// The ways to decode it, the best first. The last takes every file of its kind; those before it may
    /// decline one when they see its data.
    func decoders(for request: DecodeRequest) -> [any SourceDecoder]

    /// The length of the colour profile that `colourProfile` gives, at most.
    var profileBytes: Int { get }
    /// The embedded colour profile, byte for byte. Nil without one, or if what there is cannot be passed on;
    /// then the note says why.
    func colourProfile(in bytes: Span<UInt8>) -> (profile: [UInt8]?, note: String?)
}

/// The decoders' seam, second half: one way to decode one picture, at one scale.
protocol SourceDecoder: Sendable {
    var scale: DecodeScale { get }
    /// What `decode` delivers: stored components, or interleaved pixels as the only plane, whose samples
    /// are then pixels.
    var planes: [SourcePlane] { get }
    /// Upper bound of what a decode allocates, in bytes.
    var peakBytes: Int { get }

    /// Delivers the rows of each plane from the top, until the picture ends or `shouldStop` says so. The
    /// planes take turns in any order.
    func decode(
        _ bytes: Span<UInt8>, shouldStop: () -> Bool, row: (_ plane: Int, _ samples: Span<UInt8>) -> Void
    ) throws(PictureError) -> SourceDecode
}

/// What is wanted of a decoder.
struct DecodeRequest: Sendable {
    let geometry: ThumbnailPlan
    let headroom: Headroom
    let layout: SourceLayout
    /// Rows of a broken picture are wanted too, and how many of them are good.
    let acceptsDamage: Bool
    let fileBytes: Int
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
enum SourceDecode: Sendable {
    /// - rowsGood: stored rows that are as the encoder wrote them; nil if all are.
    case delivered(notes: Set<String>, rowsGood: Int?)
    /// Left to the next decoder; no row was delivered.
    case declined
}
