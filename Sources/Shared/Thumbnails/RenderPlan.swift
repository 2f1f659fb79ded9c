internal import Exif
public import Geometry
internal import Pixels

/// Everything that is decided about a picture before its data is read: sizes, scale, memory.
public struct RenderPlan: Sendable {
    public let picture: InspectedPicture
    public let request: ThumbnailRequest
    public let geometry: ThumbnailPlan
    /// The most bytes that the job holds at one time, the file's bytes included.
    public let footprint: Footprint

    /// The axes along which each component is resampled, for each output.
    let outputs: [OutputPlan]
    let layout: SourceLayout

    /// - Parameter fileBytes: the file's length.
    /// - Throws: `.geometry`, `.refused`.
    public init(
        _ picture: InspectedPicture, _ request: ThumbnailRequest, fileBytes: Int
    ) throws(PictureError) {
        let stored = picture.stored
        guard stored.pixelCount <= request.options.pixelLimit else {
            throw .refused(.tooManyPixels(size: stored, limit: request.options.pixelLimit))
        }
        do throws(GeometryError) {
            geometry = try ThumbnailPlan(
                stored: stored, orientation: picture.orientation.value, points: request.points,
                scales: request.scales, headroom: request.options.usesLinearLight ? .linear : .gamma)
        } catch {
            throw .geometry(error)
        }
        try picture.picture.check(fileBytes: fileBytes)
        layout = request.options.usesLinearLight ? .pixels : .planes
        let (scale, orientation, layout) = (geometry.decodeScale, picture.orientation.value, layout)
        outputs = geometry.outputs.map { size in
            OutputPlan(size, of: picture.picture, at: scale, orientation: orientation, layout: layout)
        }
        footprint = Footprint(
            picture: picture.picture, outputs: outputs, at: scale, layout: layout, quality: request.quality,
            fileBytes: fileBytes)
        self.picture = picture
        self.request = request
    }

    /// The same plan made from the file's bytes, now that they are at hand: the file may have been
    /// replaced since its header was read.
    ///
    /// - Throws: also `.changed` if these bytes need more memory than was planned.
    public func confirmed(by bytes: Span<UInt8>) throws(PictureError) -> RenderPlan {
        let plan = try RenderPlan(
            InspectedPicture(inspecting: bytes), request, fileBytes: bytes.count)
        guard plan.footprint.total <= footprint.total else { throw .changed }
        return plan
    }
}

/// How one thumbnail is made of the decoded rows.
struct OutputPlan: Sendable {
    let size: OutputSize
    let orientation: Orientation
    /// Horizontal and vertical axis of each channel that is resampled.
    let channels: [(horizontal: Axis, vertical: Axis)]

    init(
        _ size: OutputSize, of picture: any SourcePicture, at scale: DecodeScale, orientation: Orientation,
        layout: SourceLayout
    ) {
        self.size = size
        self.orientation = orientation
        let target = size.stored
        // Half-size chroma of an odd side ends half a sample beyond the picture. It must do so on the
        // side that is last once the picture is turned, or a turned picture's chroma is off by a pixel.
        let backwards = (columns: orientation.mirrorsColumns, rows: orientation.mirrorsRows)
        func axes(_ plane: SourcePlane, halved: Bool) -> (horizontal: Axis, vertical: Axis) {
            (
                Axis.decoded(
                    extent: plane.extentWidth, delivered: plane.samples.width,
                    to: halved
                        ? .everySecond(target.width, backwards: backwards.columns) : .every(target.width)),
                Axis.decoded(
                    extent: plane.extentHeight, delivered: plane.samples.height,
                    to: halved
                        ? .everySecond(target.height, backwards: backwards.rows) : .every(target.height))
            )
        }
        switch layout {
        case .planes:
            let planes = picture.planes(at: scale)
            // YCbCr goes straight to what the encoder takes; other colours are converted at full size.
            channels = planes.indices.map { index in
                axes(planes[index], halved: picture.colour == .yCbCr && index > 0)
            }
        case .pixels:
            let pixels = axes(picture.pixels(at: scale), halved: false)
            channels = Array(repeating: pixels, count: picture.colour == .grey ? 1 : 3)
        }
    }
}
