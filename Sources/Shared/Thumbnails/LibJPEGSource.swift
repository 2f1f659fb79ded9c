internal import Geometry
internal import JPEG
internal import Pixels

/// The JPEG decoder that takes every file: libjpeg-turbo, and our own for lossless ones. It streams, unless a
/// file has several scans, and has the last word on what is damaged.
struct LibJPEGSource: SourceDecoder {
    let planes: [SourcePlane]
    let peakBytes: Int
    var scale: DecodeScale { decoder.scale }

    private let decoder: JPEGDecoder
    private let layout: SourceLayout
    private let acceptsDamage: Bool

    init(_ header: JPEGHeader, _ request: DecodeRequest) {
        let scale = request.geometry.decodeScale(request.headroom, among: JPEGDecoder.fastScales) ?? .full
        do throws(JPEGError) { decoder = try JPEGDecoder(header, scale: scale) } catch {
            preconditionFailure("the header was found decodable when the picture was inspected: \(error)")
        }
        layout = request.layout
        acceptsDamage = request.acceptsDamage
        switch layout {
        case .planes:
            planes = decoder.planes.map(SourcePlane.init)
            peakBytes = header.decoderBytes(at: decoder.scale)
        case .pixels:
            planes = [SourcePlane(decoder.pixels)]
            peakBytes = header.pixelDecoderBytes(at: decoder.scale)
        }
    }

    func decode(
        _ bytes: Span<UInt8>, shouldStop: () -> Bool, row: (_ plane: Int, _ samples: Span<UInt8>) -> Void
    ) throws(PictureError) -> SourceDecode {
        let damage: DamagePolicy = acceptsDamage ? .carryOn : .stop
        let take: JPEGDecoder.Row = { plane, _, samples in
            row(plane, samples)
            return .more
        }
        // The limit is what was admitted for the decoder: a wrong estimate is an error, not an overrun.
        let outcome: DecodeOutcome
        do throws(JPEGError) {
            switch layout {
            case .planes:
                outcome = try decoder.decodePlanes(
                    bytes, memoryLimit: peakBytes, onDamage: damage, shouldStop: shouldStop, row: take)
            case .pixels:
                outcome = try decoder.decodePixels(
                    bytes, memoryLimit: peakBytes, onDamage: damage, shouldStop: shouldStop, row: take)
            }
        } catch {
            throw PictureError(error)
        }
        return try result(of: outcome)
    }

    private func result(of outcome: DecodeOutcome) throws(PictureError) -> SourceDecode {
        let notes = Set(outcome.notes.map(\.rawValue))
        switch outcome.condition {
        case .complete:
            return .delivered(notes: notes, rowsGood: nil)
        case .truncated(let rowsGood, let total):
            guard acceptsDamage else { throw .truncated(rowsGood: rowsGood, of: total) }
            return .delivered(notes: notes, rowsGood: rowsGood)
        case .damaged(let rowsGood, let total):
            guard acceptsDamage else { throw .damaged(.rows(good: rowsGood, of: total)) }
            return .delivered(notes: notes, rowsGood: rowsGood)
        }
    }
}

extension SourcePlane {
    fileprivate init(_ plane: DecodedPlane) {
        self.init(
            samples: plane.samples, extentWidth: plane.extent.width, extentHeight: plane.extent.height)
    }
}
