import Geometry
import JPEG
import TestSupport
import Thumbnails
import Units

/// A picture decoded to pixels, for looking at.
struct DecodedPicture: Equatable {
    let width: Int
    let height: Int
    /// 1, 3 or 4 samples a pixel.
    let channels: Int
    let samples: [UInt8]

    init(decoding bytes: [UInt8]) throws {
        let header = try JPEGHeader(parsing: bytes.span)
        let decoder = try JPEGDecoder(header, scale: .full)
        var samples: [UInt8] = []
        _ = try decoder.decodePixels(bytes.span, memoryLimit: header.pixelDecoderBytes(at: .full)) {
            _, _, row in
            for index in row.indices { samples.append(row[index]) }
            return .more
        }
        width = decoder.pixels.samples.width
        height = decoder.pixels.samples.height
        channels = decoder.channels
        self.samples = samples
    }

    subscript(_ x: Int, _ y: Int) -> [Int] {
        let start = (y * width + x) * channels
        return samples[start..<start + channels].map(Int.init)
    }

    /// The colours in the middles of the four quadrants: top left, top right, bottom left, bottom right.
    var quadrants: [[Int]] {
        [(1, 1), (3, 1), (1, 3), (3, 3)].map { self[width * $0.0 / 4, height * $0.1 / 4] }
    }
}

/// Renders a picture as a job would.
func render(
    _ bytes: [UInt8], _ points: String, scales: [Double] = [1], quality: Int = 80,
    options: RenderOptions = RenderOptions()
) throws -> Rendering {
    try plan(bytes, points, scales: scales, quality: quality, options: options).render(
        bytes.span, within: .max)
}

func plan(
    _ bytes: [UInt8], _ points: String, scales: [Double] = [1], quality: Int = 80,
    options: RenderOptions = RenderOptions(), within memory: ByteCount = .max
) throws -> RenderPlan {
    let request = ThumbnailRequest(
        points: try PointSize(points), scales: scales, quality: quality, options: options)
    return try RenderPlan(
        InspectedPicture(inspecting: bytes.span), request, fileBytes: bytes.count, within: memory)
}

/// Whether two colours are the same to the eye: a JPEG at quality 80 moves flat colours by a few levels.
func isClose(_ colour: [Int], _ other: [Int], within tolerance: Int = 12) -> Bool {
    colour.count == other.count && zip(colour, other).allSatisfy { abs($0 - $1) <= tolerance }
}
