public import Geometry
internal import JPEG
internal import Pixels
public import Units

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
    /// The part of its size at which the picture was decoded.
    public let decodeScale: DecodeScale
    public let decodeTime: Duration
    public let resampleTime: Duration
    public let encodeTime: Duration
}

extension RenderPlan {
    /// Turns the file's bytes into thumbnails: decodes once, into one canvas an output; turns
    /// each upright; encodes. Starts and ends on the calling thread, which is busy all the while.
    ///
    /// - Parameters:
    ///   - bytes: the whole file, as planned for or confirmed.
    ///   - memory: what the job holds; at least this plan's footprint. Some files turn out not to be for the
    ///     decoder that was planned for, and the next one may take more.
    ///   - shouldStop: asked again and again; a picture may take long, and its job may be given back.
    /// - Throws: what the picture data turned out to be; `.needsMemory`; `.stopped`.
    public func render(
        _ bytes: Span<UInt8>, within memory: ByteCount, shouldStop: () -> Bool = { false }
    ) throws(PictureError) -> Rendering {
        let painted = try paint(bytes, within: memory, shouldStop: shouldStop)
        let start = ContinuousClock.now
        let (profile, profileNote) = picture.picture.colourProfile(in: bytes)
        var notes = picture.picture.notes.union(painted.notes)
        if let profileNote { notes.insert(profileNote) }
        var thumbnails: [Thumbnail] = []
        for canvas in painted.canvases {
            let size = canvas.plan.size
            let encoded = try canvas.finish().encode(quality: request.quality, profile: profile)
            thumbnails.append(Thumbnail(scale: size.scale, size: size.displayed, encoded: encoded))
        }
        return Rendering(
            thumbnails: thumbnails, notes: notes.sorted(), rowsGood: painted.rowsGood,
            decodeScale: painted.decodeScale, decodeTime: painted.decodeTime,
            resampleTime: painted.resampleTime, encodeTime: ContinuousClock.now - start)
    }

    /// Decoded and resampled, not yet turned.
    struct Painted {
        /// One an output, in the request's order.
        let canvases: [Canvas]
        let decodeScale: DecodeScale
        let notes: Set<String>
        let rowsGood: Int?
        var decodeTime: Duration
        let resampleTime: Duration
    }

    /// Decodes the picture once, by the first decoder that takes it; each row goes to every canvas as it
    /// comes.
    func paint(
        _ bytes: Span<UInt8>, within memory: ByteCount, shouldStop: () -> Bool = { false }
    ) throws(PictureError) -> Painted {
        let start = ContinuousClock.now
        if let painted = try attempt(bytes, shouldStop: shouldStop) { return painted }
        guard let fallback else { preconditionFailure("the last decoder of a picture declines nothing") }
        guard fallback.footprint.total <= memory else { throw .needsMemory(fallback.footprint.total) }
        let lost = ContinuousClock.now - start
        var painted = try fallback.paint(bytes, within: memory, shouldStop: shouldStop)
        painted.decodeTime += lost
        return painted
    }

    /// Nil if this plan's decoder declines the file.
    private func attempt(_ bytes: Span<UInt8>, shouldStop: () -> Bool) throws(PictureError) -> Painted? {
        let start = ContinuousClock.now
        let colour = picture.picture.colour
        let canvases = outputs.map { Canvas($0, colour: colour, layout: layout) }
        var linear =
            layout == .pixels ? LinearRow(colour, width: decoder.planes[0].samples.width) : nil
        var resampling = ResamplingTime()
        let decode = try decoder.decode(
            bytes,
            shouldStop: {
                resampling.pause()
                return shouldStop()
            }
        ) { plane, samples in
            resampling.goOn()
            if var row = linear.take() {
                row.fill(from: samples)
                for canvas in canvases { canvas.push(row) }
                linear = consume row
            } else {
                for canvas in canvases { canvas.push(samples, component: plane) }
            }
        }
        resampling.pause()
        guard case .delivered(let notes, let rowsGood) = decode else { return nil }
        return Painted(
            canvases: canvases, decodeScale: decoder.scale, notes: notes, rowsGood: rowsGood,
            decodeTime: ContinuousClock.now - start - resampling.length, resampleTime: resampling.length)
    }
}

/// Tells the time of resampling from that of decoding, which take turns: a decoder asks whether to stop, decodes
/// a strip, and delivers its rows. The clock is read twice a strip; twice a row, it took 2 % of a small picture.
private struct ResamplingTime {
    private(set) var length = Duration.zero
    private var since: ContinuousClock.Instant?

    mutating func goOn() {
        if since == nil { since = .now }
    }

    mutating func pause() {
        guard let start = since.take() else { return }
        length += ContinuousClock.now - start
    }
}
