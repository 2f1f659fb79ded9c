internal import Exif
public import Geometry
internal import Pixels
public import Units

/// Everything that is decided about a picture before its data is read: sizes, decoder, scale, memory.
public struct RenderPlan: Sendable {
    public let picture: InspectedPicture
    public let request: ThumbnailRequest
    public let geometry: ThumbnailPlan
    /// The most bytes that the job holds at one time, the file's bytes included, if the planned decoder takes
    /// the file.
    public let footprint: Footprint

    let layout: SourceLayout
    /// The decoder that is planned for.
    let decoder: any SourceDecoder
    /// The axes along which each of its planes is resampled, for each output.
    let outputs: [OutputPlan]

    /// Those that are left if it declines.
    private let alternatives: ArraySlice<any SourceDecoder>
    private let fileBytes: Int
    /// The most that any job may hold.
    private let memory: ByteCount

    /// Plans for the best decoder whose footprint fits in `memory`: what one holds whole another streams, and
    /// slower is better than refused. If none fits, for the one that takes the least.
    ///
    /// - Parameters:
    ///   - fileBytes: the file's length.
    ///   - memory: the most that any job may hold.
    /// - Throws: `.geometry`, `.refused`.
    public init(
        _ picture: InspectedPicture, _ request: ThumbnailRequest, fileBytes: Int, within memory: ByteCount
    ) throws(PictureError) {
        let (stored, options) = (picture.stored, request.options)
        guard stored.pixelCount <= options.pixelLimit else {
            throw .refused(.tooManyPixels(size: stored, limit: options.pixelLimit))
        }
        let geometry: ThumbnailPlan
        do throws(GeometryError) {
            geometry = try ThumbnailPlan(
                stored: stored, orientation: picture.orientation.value, points: request.points,
                scales: request.scales)
        } catch {
            throw .geometry(error)
        }
        try picture.picture.check(fileBytes: fileBytes)
        let layout: SourceLayout = options.usesLinearLight ? .pixels : .planes
        let decoders = picture.picture.decoders(
            for: DecodeRequest(
                geometry: geometry, headroom: options.headroom, layout: layout,
                acceptsDamage: options.acceptsPartial, fileBytes: fileBytes))
        var plan = RenderPlan(
            picture, request, geometry, layout, decoders[...], fileBytes: fileBytes, within: memory)
        while plan.footprint.total > memory, let next = plan.fallback,
            next.footprint.total < plan.footprint.total
        {
            plan = next
        }
        self = plan
    }

    /// - Parameter decoders: the planned one and its alternatives; at least one.
    private init(
        _ picture: InspectedPicture, _ request: ThumbnailRequest, _ geometry: ThumbnailPlan,
        _ layout: SourceLayout, _ decoders: ArraySlice<any SourceDecoder>, fileBytes: Int,
        within memory: ByteCount
    ) {
        let decoder = decoders[decoders.startIndex]
        let orientation = picture.orientation.value
        outputs = geometry.outputs.map { size in
            OutputPlan(size, of: decoder.planes, picture.picture.colour, layout, orientation: orientation)
        }
        footprint = Footprint(
            picture: picture.picture, decoder: decoder, outputs: outputs, layout: layout,
            quality: request.quality, fileBytes: fileBytes)
        self.picture = picture
        self.request = request
        self.geometry = geometry
        self.layout = layout
        self.decoder = decoder
        self.fileBytes = fileBytes
        self.memory = memory
        alternatives = decoders.dropFirst()
    }

    /// The plan for a file that this plan's decoder declines; nil if that one takes every file.
    package var fallback: RenderPlan? {
        alternatives.isEmpty
            ? nil
            : RenderPlan(
                picture, request, geometry, layout, alternatives, fileBytes: fileBytes, within: memory)
    }

    /// The same plan made from the file's bytes, now that they are at hand: the file may have been
    /// replaced since its header was read.
    ///
    /// - Throws: also `.changed` if these bytes need more memory than was planned.
    public func confirmed(by bytes: Span<UInt8>) throws(PictureError) -> RenderPlan {
        let plan = try RenderPlan(
            InspectedPicture(inspecting: bytes), request, fileBytes: bytes.count, within: memory)
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
        _ size: OutputSize, of planes: [SourcePlane], _ colour: SourceColour, _ layout: SourceLayout,
        orientation: Orientation
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
            // YCbCr goes straight to what the encoder takes; other colours are converted at full size.
            channels = planes.indices.map { axes(planes[$0], halved: colour == .yCbCr && $0 > 0) }
        case .pixels:
            let pixels = axes(planes[0], halved: false)
            channels = Array(repeating: pixels, count: colour == .grey ? 1 : 3)
        }
    }
}
