import Geometry
import JPEG

/// A file decoded whole, for tests to look at.
struct Decoded {
    let header: JPEGHeader
    let decoder: JPEGDecoder
    let outcome: DecodeOutcome
    /// Rows as delivered, one list a component.
    let planes: [[[UInt8]]]

    init(
        _ bytes: [UInt8], at scale: DecodeScale = .full, asPixels: Bool = false,
        onDamage: DamagePolicy = .stop, memoryLimit: Int? = nil
    ) throws(JPEGError) {
        header = try JPEGHeader(parsing: bytes.span)
        decoder = try JPEGDecoder(header, scale: scale)
        var planes = [[[UInt8]]](repeating: [], count: asPixels ? 1 : header.components.count)
        let row: JPEGDecoder.Row = { component, row, samples in
            precondition(row == planes[component].count, "rows come in order")
            var copy: [UInt8] = []
            for index in samples.indices { copy.append(samples[index]) }
            planes[component].append(copy)
            return .more
        }
        if asPixels {
            outcome = try decoder.decodePixels(
                bytes.span, memoryLimit: memoryLimit ?? header.pixelDecoderBytes(at: scale),
                onDamage: onDamage, row: row)
        } else {
            outcome = try decoder.decodePlanes(
                bytes.span, memoryLimit: memoryLimit ?? header.decoderBytes(at: scale),
                onDamage: onDamage, row: row)
        }
        self.planes = planes
    }

    /// Whether every plane has the size that the decoder promised.
    var hasPromisedSizes: Bool {
        zip(planes, decoder.planes).allSatisfy { rows, plane in
            rows.count == plane.samples.height && rows.allSatisfy { $0.count == plane.samples.width }
        }
    }
}
