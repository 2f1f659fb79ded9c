internal import Geometry
internal import Pixels

/// One thumbnail in the making: rows in, upright planes out.
///
/// A class, since resamplers cannot be copied into an array and rows reach several canvases in turn. It
/// lives on one thread.
final class Canvas {
    let plan: OutputPlan
    private let colour: SourceColour
    private let channels: [Channel]

    init(_ plan: OutputPlan, colour: SourceColour, layout: SourceLayout) {
        self.plan = plan
        self.colour = colour
        var filters: [PlaneFilter] = []
        channels = plan.channels.indices.map { index in
            let (horizontal, vertical) = plan.channels[index]
            // Cb and Cr, or R, G and B, have the same weights.
            let twin = plan.channels[..<index].firstIndex { $0 == (horizontal, vertical) }
            let filter = twin.map { filters[$0] } ?? PlaneFilter(horizontal: horizontal, vertical: vertical)
            filters.append(filter)
            return layout == .planes ? Channel(stored: filter) : Channel(linear: filter)
        }
    }

    func push(_ row: Span<UInt8>, component: Int) {
        channels[component].push(row)
    }

    func push(_ row: borrowing LinearRow) {
        for (index, channel) in channels.enumerated() { channel.push(row.channel(index).span) }
    }

    /// The thumbnail's planes, upright, in the encoder's colours. To be called once.
    consuming func finish() -> ThumbnailPlanes {
        let size = plan.size.displayed
        // The linear path has made grey or RGB of every colour.
        switch (colour, channels.count) {
        case (.grey, _): return .grey(size, upright(0))
        case (.yCbCr, _) where channels[0].isStored:
            return .colour(size, luma: upright(0), blue: upright(1), red: upright(2))
        case (.yCbCr, _), (.rgb, _), (_, 3):
            return ThumbnailPlanes(size, red: upright(0), green: upright(1), blue: upright(2))
        case (.cmyk(let polarity), _):
            return ThumbnailPlanes(
                size, cyan: upright(0), magenta: upright(1), yellow: upright(2), black: upright(3), polarity)
        case (.ycck(let polarity), _):
            return ThumbnailPlanes(
                size, luma: upright(0), blue: upright(1), red: upright(2), black: upright(3), polarity)
        }
    }

    private func upright(_ index: Int) -> Plane {
        channels[index].finish().reoriented(plan.orientation)
    }
}

/// The resampler of one channel, over stored values or over light.
private final class Channel {
    private var stored: PlaneResampler?
    private var linear: LinearResampler?
    let isStored: Bool

    init(stored filter: PlaneFilter) {
        stored = PlaneResampler(filter)
        isStored = true
    }

    init(linear filter: PlaneFilter) {
        linear = LinearResampler(filter)
        isStored = false
    }

    func push(_ row: Span<UInt8>) { stored?.push(row) }

    func push(_ row: Span<UInt16>) { linear?.push(row) }

    /// Rows that a broken picture never delivered are grey, which as chroma is no colour.
    func finish() -> Plane {
        if let resampler = stored.take() { return resampler.finish(filling: .grey) }
        if let resampler = linear.take() {
            return TransferFunction.encode(resampler.finish(filling: .grey))
        }
        preconditionFailure("a channel is finished once")
    }
}
