internal import Geometry
internal import JPEG
internal import Pixels
public import Units

/// The most memory that a job takes, predicted from its picture's header: an upper bound, part by part.
///
/// Two moments compete for the peak: decoding, when the decoder and all resamplers work, and encoding,
/// when all resampled planes wait and one thumbnail after another is turned and encoded.
public struct Footprint: Hashable, Sendable {
    /// The file's bytes, held until the last thumbnail is encoded.
    public let source: ByteCount
    /// What the planned decoder takes: its tables and strips, and every coefficient of a multi-scan file; or
    /// whole scaled planes, and of a progressive file the coefficients that the scale needs.
    public let decoder: ByteCount
    /// Weights, rows under the filter, and the planes that come out.
    public let resamplers: ByteCount
    /// Turning and encoding, the colour profile, and the encoded files.
    public let encoder: ByteCount

    public var total: ByteCount {
        source + resamplers + max(decoder, encoder) + Self.fixed
    }

    /// The job's text, its paths, its result, a thread's stack and what the allocator rounds up.
    static let fixed = ByteCount.kibibytes(192)
    private static let page = 4096

    init(
        picture: any SourcePicture, decoder planned: any SourceDecoder, outputs: [OutputPlan],
        layout: SourceLayout, quality: Int, fileBytes: Int
    ) {
        source = ByteCount((fileBytes + Self.page - 1) / Self.page * Self.page)
        let row = layout == .pixels ? LinearRow.bytes(width: planned.planes[0].samples.width) : 0
        decoder = ByteCount(planned.peakBytes + row)
        resamplers = outputs.reduce(.zero) { sum, output in sum + Self.resamplers(output, layout) }
        // What works on one thumbnail is gone when the next is encoded, its encoded bytes are not.
        let busiest = outputs.map { Self.temporaries($0, layout, picture) }.max() ?? .zero
        let profile = JPEGEncoder.profileSegmentsBytes(picture.profileBytes)
        encoder = outputs.reduce(busiest + ByteCount(picture.profileBytes)) { sum, output in
            sum + ByteCount(JPEGEncoder.encodedBound(output.size.stored, quality: quality) + profile)
        }
    }

    private static func resamplers(_ output: OutputPlan, _ layout: SourceLayout) -> ByteCount {
        output.channels.reduce(.zero) { sum, channel in
            let (horizontal, vertical) = channel
            let resampler =
                switch layout {
                case .planes: PlaneResampler.peakBytes(horizontal: horizontal, vertical: vertical)
                case .pixels: LinearResampler.peakBytes(horizontal: horizontal, vertical: vertical)
                }
            return sum + ByteCount(resampler)
                + ByteCount(PlaneFilter.peakBytes(horizontal: horizontal, vertical: vertical))
        }
    }

    /// What finishing one thumbnail takes beside its planes, which the resamplers count.
    private static func temporaries(
        _ output: OutputPlan, _ layout: SourceLayout, _ picture: any SourcePicture
    ) -> ByteCount {
        let size = output.size.stored
        // One plane at a time is turned into a second one, or made of one in linear light.
        let makesPlane = output.orientation.swapsSides || layout == .pixels
        let plane = makesPlane ? Plane.allocatedBytes(width: size.width, height: size.height) : 0
        // Chroma made at full size is halved.
        let colour = picture.colour
        let isHalved = colour != .grey && (layout == .pixels || colour != .yCbCr)
        let halving = isHalved ? PlaneFilter.halvingBytes(width: size.width, height: size.height) : 0
        return ByteCount(
            max(plane, halving) + JPEGEncoder.workingBytes(size, profileBytes: picture.profileBytes))
    }
}
