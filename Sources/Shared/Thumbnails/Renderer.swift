public import Geometry
internal import JPEG
internal import Pixels
internal import Units

/// One thumbnail, ready to be written.
public struct Thumbnail: Sendable {
    /// The scale that asked for it.
    public let scale: Double
    public let size: PixelSize
    /// A whole JPEG file.
    public let encoded: [UInt8]
}

/// What came out of one picture.
public struct Rendering: Sendable {
    /// In the order of the request's scales.
    public let thumbnails: [Thumbnail]
    /// Oddities of the file that did not keep it from being shown; sorted.
    public let notes: [String]
    /// Stored rows that are as they were written, if not all are.
    public let rowsGood: Int?
    public let decodeTime: Duration
    public let resampleTime: Duration
    public let encodeTime: Duration
}

extension RenderPlan {
    /// Turns the file's bytes into thumbnails: decodes once, row by row, into one canvas an output; turns
    /// each upright; encodes. Starts and ends on the calling thread, which is busy all the while.
    ///
    /// - Parameters:
    ///   - bytes: the whole file, as planned for or confirmed.
    ///   - shouldStop: asked between strips; a picture may take long, and its job may be given back.
    /// - Throws: what the picture data turned out to be; `.stopped`.
    public func render(
        _ bytes: Span<UInt8>, shouldStop: () -> Bool = { false }
    ) throws(PictureError) -> Rendering {
        let clock = ContinuousClock()
        let start = clock.now
        let canvases = outputs.map { Canvas($0, colour: picture.picture.colour, layout: layout) }
        var resampling = Duration.zero
        var linear = LinearRow(of: picture.picture, at: geometry.decodeScale, layout: layout)

        let decode = try picture.picture.decode(
            bytes, at: geometry.decodeScale, layout: layout,
            acceptsDamage: request.options.acceptsPartial, shouldStop: shouldStop
        ) { component, samples in
            let rowStart = clock.now
            switch layout {
            case .planes:
                for canvas in canvases { canvas.push(samples, component: component) }
            case .pixels:
                linear.fill(from: samples)
                for canvas in canvases { canvas.push(linear) }
            }
            resampling += clock.now - rowStart
        }
        let decoded = clock.now

        let (profile, isBroken) = picture.picture.colourProfile(in: bytes)
        var thumbnails: [Thumbnail] = []
        for canvas in canvases {
            let planes = canvas.finish()
            thumbnails.append(
                Thumbnail(
                    scale: canvas.plan.size.scale, size: canvas.plan.size.displayed,
                    encoded: try planes.encode(quality: request.quality, profile: profile)))
        }
        return Rendering(
            thumbnails: thumbnails,
            notes: picture.picture.notes.union(decode.notes)
                .union(isBroken ? [JPEGHeader.Note.brokenICCProfileDropped.rawValue] : []).sorted(),
            rowsGood: decode.rowsGood, decodeTime: decoded - start - resampling, resampleTime: resampling,
            encodeTime: clock.now - decoded)
    }
}
