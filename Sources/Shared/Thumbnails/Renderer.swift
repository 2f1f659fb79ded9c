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
        let painted = try paint(bytes, shouldStop: shouldStop)
        let start = ContinuousClock.now
        let (profile, profileNote) = picture.picture.colourProfile(in: bytes)
        var notes = picture.picture.notes.union(painted.decode.notes)
        if let profileNote { notes.insert(profileNote) }
        var thumbnails: [Thumbnail] = []
        for canvas in painted.canvases {
            let size = canvas.plan.size
            let encoded = try canvas.finish().encode(quality: request.quality, profile: profile)
            thumbnails.append(Thumbnail(scale: size.scale, size: size.displayed, encoded: encoded))
        }
        return Rendering(
            thumbnails: thumbnails, notes: notes.sorted(), rowsGood: painted.decode.rowsGood,
            decodeTime: painted.decodeTime, resampleTime: painted.resampleTime,
            encodeTime: ContinuousClock.now - start)
    }

    /// Decoded and resampled, not yet turned.
    struct Painted {
        /// One an output, in the request's order.
        let canvases: [Canvas]
        let decode: SourceDecode
        let decodeTime: Duration
        let resampleTime: Duration
    }

    /// Decodes the picture once; each row goes to every canvas as it comes.
    func paint(_ bytes: Span<UInt8>, shouldStop: () -> Bool = { false }) throws(PictureError) -> Painted {
        let clock = ContinuousClock()
        let start = clock.now
        let canvases = outputs.map { Canvas($0, colour: picture.picture.colour, layout: layout) }
        var linear = layout == .pixels ? LinearRow(of: picture.picture, at: geometry.decodeScale) : nil
        var resampling = Duration.zero
        let decode = try picture.picture.decode(
            bytes, at: geometry.decodeScale, layout: layout,
            acceptsDamage: request.options.acceptsPartial, shouldStop: shouldStop
        ) { component, samples in
            let rowStart = clock.now
            if var row = linear.take() {
                row.fill(from: samples)
                for canvas in canvases { canvas.push(row) }
                linear = consume row
            } else {
                for canvas in canvases { canvas.push(samples, component: component) }
            }
            resampling += clock.now - rowStart
        }
        return Painted(
            canvases: canvases, decode: decode, decodeTime: clock.now - start - resampling,
            resampleTime: resampling)
    }
}
