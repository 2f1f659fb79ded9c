package import Geometry
internal import Pixels
internal import Units

extension RenderPlan {
    /// The luma of the first thumbnail, upright, before it is encoded: what a resampler is judged by, since
    /// the encoder's own loss would hide most of it.
    ///
    /// - Parameter bytes: as for `render`.
    /// - Returns: one sample a pixel, row after row from the top.
    package func unencodedLuma(
        _ bytes: Span<UInt8>
    ) throws(PictureError) -> (size: PixelSize, samples: [UInt8]) {
        let canvases = try paint(bytes, within: .max).canvases
        switch canvases[0].finish() {
        case .grey(let size, let luma): return (size, [UInt8](copying: luma.samples))
        case .colour(let size, let luma, _, _): return (size, [UInt8](copying: luma.samples))
        }
    }
}

extension [UInt8] {
    fileprivate init(copying samples: Span<UInt8>) {
        self.init()
        reserveCapacity(samples.count)
        for index in samples.indices { append(samples[index]) }
    }
}
