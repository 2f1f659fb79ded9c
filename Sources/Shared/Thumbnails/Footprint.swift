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
    /// The decoder's tables, strips and, for multi-scan files, every coefficient of the picture.
    public let decoder: ByteCount
    /// Weights, rows under the filter, and the planes that come out.
    public let resamplers: ByteCount
    /// Turning and encoding, and the encoded files.
    public let encoder: ByteCount

    public var total: ByteCount {
        source + resamplers + max(decoder, encoder) + Self.fixed
    }

    /// The job's text, its paths, its result, a thread's stack and what the allocator rounds up.
    static let fixed = ByteCount.kibibytes(192)
    private static let page = 4096

    init(
        picture: any SourcePicture, outputs: [OutputPlan], at scale: DecodeScale, layout: SourceLayout,
        fileBytes: Int
    ) {
        source = ByteCount((fileBytes + Self.page - 1) / Self.page * Self.page)
        let rows = layout == .pixels ? LinearRow.bytes(picture, at: scale) : 0
        decoder = ByteCount(picture.decoderBytes(at: scale, layout: layout) + rows)
        resamplers = outputs.reduce(.zero) { sum, output in
            sum
                + output.channels.reduce(.zero) { sum, channel in
                    let resampler =
                        layout == .planes
                        ? PlaneResampler.peakBytes(horizontal: channel.horizontal, vertical: channel.vertical)
                        : LinearResampler.peakBytes(
                            horizontal: channel.horizontal, vertical: channel.vertical)
                    return sum + ByteCount(resampler)
                        + ByteCount(
                            PlaneFilter.peakBytes(horizontal: channel.horizontal, vertical: channel.vertical))
                }
        }
        // Planes of finished outputs are gone when the next is encoded, its encoded bytes are not.
        encoder = outputs.reduce(.zero) { sum, output in
            let size = output.size.stored
            // One plane is turned at a time; colour conversion and half-size chroma take two planes more.
            let plane = Plane.allocatedBytes(width: size.width, height: size.height)
            return sum
                + ByteCount(3 * plane + JPEGEncoder.workingBytes(size) + JPEGEncoder.encodedBound(size))
        }
    }
}
