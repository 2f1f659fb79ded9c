internal import Geometry
internal import JPEG
internal import Pixels
internal import ScaledJPEG

/// The JPEG decoder for most files: our own, which reads of a file only what the scale needs. It holds whole
/// scaled planes, so that a file can be declined at its last byte and nothing was delivered of it.
struct ScaledSource: SourceDecoder {
    let scale: DecodeScale
    let planes: [SourcePlane]
    let peakBytes: Int
    private let chroma: ChromaDetail

    /// Planes of a file that libjpeg-turbo would stream, in bytes: beyond this, constant memory is worth more
    /// than time. At 1/8 that is a picture of 350 megapixels, at 1/2 one of 22.
    static let largestPlanes = 8 << 20

    /// Rows that are delivered before `shouldStop` is asked again.
    private static let rowsPerQuestion = 32

    /// Nil for what the header says is not for this decoder.
    init?(_ header: JPEGHeader, _ request: DecodeRequest) {
        // Rows of damaged pictures, and how many are good, are libjpeg's.
        guard header.isForScaledDecoder, request.layout == .planes, !request.acceptsDamage,
            let scale = request.geometry.decodeScale(request.headroom, among: ScaledDecoder.scales)
        else { return nil }
        let forecast: ScaledForecast
        do throws(Declined) {
            forecast = try ScaledForecast(
                size: header.size, sampling: header.components.map { ($0.h, $0.v) },
                isProgressive: header.process.kind == .progressive)
        } catch {
            return nil
        }
        // A multi-scan file costs libjpeg more than these planes, whatever their size.
        let chroma: ChromaDetail = header.colour == .yCbCr ? .halved : .full
        guard header.isMultiScan || forecast.planeBytes(at: scale, chroma: chroma) <= Self.largestPlanes
        else { return nil }
        (self.scale, self.chroma) = (scale, chroma)
        planes = forecast.planes(at: scale, chroma: chroma).map(SourcePlane.init)
        peakBytes = forecast.peakBytes(at: scale, chroma: chroma, fileBytes: request.fileBytes)
    }

    func decode(
        _ bytes: Span<UInt8>, shouldStop: () -> Bool, row: (_ plane: Int, _ samples: Span<UInt8>) -> Void
    ) throws(PictureError) -> SourceDecode {
        let picture: ScaledPicture
        do throws(Declined) {
            picture = try ScaledDecoder.decode(bytes, at: scale, chroma: chroma, shouldStop: shouldStop)
        } catch {
            guard error != .stopped else { throw .stopped }
            return .declined
        }
        // Two readers of one header: should they ever differ, rows would have other lengths than planned.
        let sizes = picture.planes.map { PixelSize(width: $0.columns, height: $0.rows) }
        guard sizes == planes.map(\.samples) else { return .declined }
        for (index, plane) in picture.planes.enumerated() {
            for y in 0..<plane.rows {
                if y % Self.rowsPerQuestion == 0, shouldStop() { throw .stopped }
                plane.withRow(y) { row(index, $0) }
            }
        }
        let isWhole = picture.endOfImage == bytes.count
        return .delivered(notes: isWhole ? [] : [JPEGHeader.Note.trailingData.rawValue], rowsGood: nil)
    }
}

extension JPEGHeader {
    /// What `ScaledDecoder` takes, as far as a header tells; what else it declines, it declines at once.
    fileprivate var isForScaledDecoder: Bool {
        let isUsual =
            switch process.kind {
            case .baseline, .extended, .progressive: !process.isArithmetic && !process.isDifferential
            case .lossless: false
            }
        let oddities: Set<Note> = [.bytesBetweenSegments, .wrongScanParameters, .standardHuffmanTables]
        return isUsual && precision == 8 && isSharpWhenScaled && notes.isDisjoint(with: oddities)
    }

    /// Every component comes at k/8 of its stored size, or chroma of luma's size at half of that, since a
    /// thumbnail's is half as large. Luma, or red, green and blue, that is stored smaller than another component
    /// would be too small then, and chroma that is stored at a quarter; libjpeg decodes such at up to twice the
    /// scale.
    private var isSharpWhenScaled: Bool {
        let shares = components.map { (h: maximumH / $0.h, v: maximumV / $0.v) }
        return switch colour {
        case .grey: true
        case .yCbCr: shares[0] == (1, 1) && shares.allSatisfy { $0.h <= 2 && $0.v <= 2 }
        case .rgb: shares.allSatisfy { $0 == (1, 1) }
        case .cmyk, .ycck, .unknown: false
        }
    }
}

extension SourcePlane {
    fileprivate init(_ extent: ScaledExtent) {
        self.init(
            samples: PixelSize(width: extent.columns, height: extent.rows), extentWidth: extent.width,
            extentHeight: extent.height)
    }
}
