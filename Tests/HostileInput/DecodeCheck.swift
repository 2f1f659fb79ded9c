import Geometry
import Thumbnails
import Units

/// A file on its way to a thumbnail, as a worker with a budget of 64 MiB takes it.
enum DecodeCheck {
    private static let budget = ByteCount.mebibytes(64)
    /// A larger picture takes time, and has nothing that a smaller has not.
    private static let mostPixels = 1 << 20

    static func check(_ bytes: [UInt8]) throws(HostileInput.Contradiction) {
        // Every sort of request, and always the same for one file.
        let kind = bytes.count % 4
        let options = RenderOptions(
            usesLinearLight: kind == 1, isFast: kind == 2, acceptsPartial: kind >= 2, pixelLimit: mostPixels)
        do {
            let request = ThumbnailRequest(
                points: try PointSize(width: 24, height: kind == 3 ? 4000 : 24),
                scales: kind == 0 ? [1, 2] : [1], quality: 80, options: options)
            let picture = try InspectedPicture(inspecting: bytes.span)
            let plan = try RenderPlan(picture, request, fileBytes: bytes.count, within: budget)
            let rendering = try render(plan, bytes)
            for (thumbnail, output) in zip(rendering.thumbnails, plan.geometry.outputs) {
                try HostileInput.expect(
                    thumbnail.size == output.displayed, "\(thumbnail.size) instead of \(output)")
                let made = try InspectedPicture(inspecting: thumbnail.encoded.span)
                try HostileInput.expect(made.displayed == thumbnail.size, "a file of \(made.displayed)")
            }
        } catch let contradiction as HostileInput.Contradiction {
            throw contradiction
        } catch {
            if case PictureError.failed(let words)? = error as? PictureError {
                throw HostileInput.Contradiction(description: words)
            }
        }
    }

    /// With the first decoder, or with the one that takes what the first declines.
    private static func render(_ plan: RenderPlan, _ bytes: [UInt8]) throws(PictureError) -> Rendering {
        let confirmed = try plan.confirmed(by: bytes.span)
        do throws(PictureError) {
            return try confirmed.render(bytes.span, within: plan.footprint.total) { false }
        } catch {
            guard case .needsMemory(let footprint) = error, footprint <= budget else { throw error }
            return try confirmed.render(bytes.span, within: footprint) { false }
        }
    }
}
