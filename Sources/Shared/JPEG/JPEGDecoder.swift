public import Geometry

/// Decodes one JPEG, row by row, at a fraction of its size.
///
/// A decode starts and ends within one call on one thread: libjpeg-turbo's SIMD state belongs to
/// the thread, and its errors may not cross an `await`.
public struct JPEGDecoder: Sendable {
    public let header: JPEGHeader
    /// The scale in use: lossless files have no DCT and come at full size, whatever was asked.
    public let scale: DecodeScale
    /// One per component, in the frame's order: what `decodePlanes` delivers.
    public let planes: [DecodedPlane]
    /// What `decodePixels` delivers.
    public let pixels: DecodedPlane
    /// Samples of an interleaved pixel: 1 grey, 3 RGB or 4 CMYK.
    public let channels: Int

    /// The scales that libjpeg-turbo has fast code for. At 3/8 it takes longer than at 4/8.
    public static let fastScales: [DecodeScale] = [.eighth, .quarter, .half, .full]

    /// Receives a row: component, number of the row from the top, samples. The rows of one
    /// component come in order, each exactly `planes[component].samples.width` long; components
    /// take turns, strip by strip.
    public typealias Row = (_ component: Int, _ row: Int, _ samples: Span<UInt8>) -> RowAnswer

    /// - Throws: `.unsupported`.
    public init(_ header: JPEGHeader, scale: DecodeScale) throws(JPEGError) {
        try header.checkDecodable()
        self.header = header
        self.scale = header.process.kind == .lossless ? .full : scale
        planes = header.planes(at: self.scale)
        pixels = header.pixels(at: self.scale)
        channels = header.components.count
    }

    /// Decodes the stored planes: YCbCr stays YCbCr, subsampled chroma stays subsampled, CMYK
    /// keeps its inversion.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - memoryLimit: in bytes; `header.decoderBytes(at:)` suffices for every file.
    ///   - shouldStop: asked before each strip and between the rows of each scan.
    /// - Throws: `.stopped`, `.memoryLimit`, `.tooManyScans`, `.malformed`, `.unsupported`.
    public func decodePlanes(
        _ bytes: Span<UInt8>, memoryLimit: Int, onDamage: DamagePolicy = .stop,
        shouldStop: () -> Bool = { false }, row: Row
    ) throws(JPEGError) -> DecodeOutcome {
        try decode(
            bytes, .planes, DecodeSettings(memoryLimit: memoryLimit, onDamage: onDamage),
            shouldStop: shouldStop, row: row)
    }

    /// Decodes interleaved pixels, `channels` samples each, chroma upsampled: grey, RGB or (still
    /// inverted) CMYK. Rows arrive as component 0 and are `pixels.samples.width * channels` long.
    /// The limit that suffices is `header.pixelDecoderBytes(at:)`; the rest is as for planes.
    public func decodePixels(
        _ bytes: Span<UInt8>, memoryLimit: Int, onDamage: DamagePolicy = .stop,
        shouldStop: () -> Bool = { false }, row: Row
    ) throws(JPEGError) -> DecodeOutcome {
        try decode(
            bytes, .pixels, DecodeSettings(memoryLimit: memoryLimit, onDamage: onDamage),
            shouldStop: shouldStop, row: row)
    }

    private func decode(
        _ bytes: Span<UInt8>, _ layout: DecodeLayout, _ settings: DecodeSettings,
        shouldStop: () -> Bool, row: Row
    ) throws(JPEGError) -> DecodeOutcome {
        if header.process.kind == .lossless {
            let lossless = try LosslessDecoder(header, bytes)
            return try lossless.decode(bytes, layout, settings, shouldStop: shouldStop, row: row)
        }
        if header.isMultiScan { _ = try ScanCount(of: header, in: bytes) }
        return try LibJPEG.decode(self, bytes, layout, settings, shouldStop: shouldStop, row: row)
    }
}

enum DecodeLayout { case planes, pixels }

struct DecodeSettings {
    let memoryLimit: Int
    let onDamage: DamagePolicy
}
