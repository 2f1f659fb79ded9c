public import Geometry
import JPEG
import ScaledJPEG

/// What holds for any bytes whatever: `ScaledDecoder` declines them, or agrees with libjpeg-turbo and with itself.
///
/// Known gap: of a progressive file scans are passed over. libjpeg may find unused bytes in them, or damage; then
/// the samples are not compared.
public enum ScaledOracle {
    /// - Parameter mostPixels: larger pictures are not decoded.
    /// - Returns: the scales at which the file was taken; nil when it is larger than that.
    @discardableResult
    public static func check(
        _ bytes: [UInt8], mostPixels: Int = .max
    ) throws(Disagreement) -> Set<DecodeScale>? {
        if let size = try? JPEGHeader(parsing: bytes.span).size, size.width * size.height > mostPixels {
            return nil
        }
        let taken = try pictures(bytes)
        guard let coarsest = taken.first else { return [] }
        for (scale, picture) in taken {
            let end = picture.endOfImage
            guard (4...bytes.count).contains(end), bytes[end - 2] == 0xFF, bytes[end - 1] == 0xD9 else {
                throw .endOfImage(end)
            }
            if scale > coarsest.scale { try compare(coarsest.picture, picture, at: scale) }
        }
        let libjpeg: LibjpegPicture
        do throws(JPEGError) {
            libjpeg = try LibjpegPicture(bytes, at: coarsest.scale)
        } catch {
            throw .libjpegRefuses(error)
        }
        for (scale, picture) in taken where !isAsForecast(picture, libjpeg.header, at: scale) {
            throw .forecast(at: scale)
        }
        try compareHalvedChroma(bytes, taken, libjpeg.header)
        try compare(coarsest.picture, libjpeg, hasTrailer: coarsest.picture.endOfImage < bytes.count)
        return Set(taken.map(\.scale))
    }

    /// The picture at each scale at which it is taken, the smallest first.
    private static func pictures(
        _ bytes: [UInt8]
    ) throws(Disagreement) -> [(scale: DecodeScale, picture: ScaledPicture)] {
        var taken: [(scale: DecodeScale, picture: ScaledPicture)] = []
        for scale in ScaledDecoder.scales.sorted().reversed() {
            do throws(Declined) {
                taken.append((scale, try ScaledDecoder.decode(bytes.span, at: scale)))
            } catch {
                guard taken.isEmpty else { throw .declined(error, at: scale) }
            }
        }
        // A small picture is not worth the tables; that it is the same with them holds for large ones, too.
        let quarter = taken.first { $0.scale == .quarter }?.picture
        let automaton = try? ScaledDecoder.decode(bytes.span, at: .quarter, fewestBlocks: 0)
        guard quarter?.samples == automaton?.samples else { throw .automaton }
        return taken.reversed()
    }

    private static func compare(
        _ picture: ScaledPicture, _ libjpeg: LibjpegPicture, hasTrailer: Bool
    ) throws(Disagreement) {
        let count = libjpeg.planes.count
        guard picture.planes.count == count else { throw .components(picture.planes.count, libjpeg: count) }
        guard libjpeg.outcome.condition == .complete else {
            if libjpeg.isProgressive { return }
            throw .libjpegFinds(libjpeg.outcome.condition)
        }
        var notes = libjpeg.outcome.notes
        if libjpeg.isProgressive { notes.remove(.bytesInsideScan) }
        // libjpeg stops behind the last row, and the search for an end of image from there does not know that
        // one may lie inside of a segment.
        if !hasTrailer { notes.remove(.trailingData) }
        guard notes == (hasTrailer ? [.trailingData] : []) else { throw .notes(libjpeg: notes) }
        for (component, plane) in picture.planes.enumerated() where libjpeg.isAsCoarse[component] {
            let rows = libjpeg.planes[component]
            guard plane.rows == rows.count else {
                throw .rows(plane.rows, libjpeg: rows.count, component: component)
            }
            for y in 0..<plane.rows where !plane.withRow(y, { isEqual($0, rows[y]) }) {
                throw .row(y, component: component)
            }
        }
    }

    /// A decode with halved chroma gives each plane as one of those without it does, at its own scale.
    private static func compareHalvedChroma(
        _ bytes: [UInt8], _ taken: [(scale: DecodeScale, picture: ScaledPicture)], _ header: JPEGHeader
    ) throws(Disagreement) {
        for (scale, whole) in taken where scale > .eighth {
            guard let half = taken.first(where: { $0.scale.eighths == (scale.eighths + 1) / 2 })?.picture,
                let mixed = try? ScaledDecoder.decode(bytes.span, at: scale, chroma: .halved),
                isAsForecast(mixed, header, at: scale, chroma: .halved), mixed.endOfImage == whole.endOfImage
            else { throw .halvedChroma(at: scale) }
            for (number, samples) in mixed.samples.enumerated()
            where samples != whole.samples[number] && (number == 0 || samples != half.samples[number]) {
                throw .halvedChroma(at: scale)
            }
        }
    }

    /// Whether the planes have the sizes that whoever plans for them expects.
    private static func isAsForecast(
        _ picture: ScaledPicture, _ header: JPEGHeader, at scale: DecodeScale, chroma: ChromaDetail = .full
    ) -> Bool {
        let forecast = try? ScaledForecast(
            size: header.size, sampling: header.components.map { (h: $0.h, v: $0.v) },
            isProgressive: header.process.kind == .progressive)
        let expected = forecast?.planes(at: scale, chroma: chroma).map {
            PixelSize(width: $0.columns, height: $0.rows)
        }
        return expected == picture.planes.map { PixelSize(width: $0.columns, height: $0.rows) }
    }

    /// Compares each block's sample at 1/8 with the mean of those at a larger scale: both are its DC, if none
    /// was limited to what a sample can be.
    private static func compare(
        _ coarse: ScaledPicture, _ fine: ScaledPicture, at scale: DecodeScale
    ) throws(Disagreement) {
        let k = scale.eighths
        for (component, (coarse, fine)) in zip(coarse.planes, fine.planes).enumerated() {
            // Whole blocks.
            for row in 0..<fine.rows / k {
                var sums = [Int](repeating: 0, count: fine.columns / k)
                var limited = [Bool](repeating: false, count: sums.count)
                for y in row * k..<row * k + k {
                    fine.withRow(y) { samples in
                        for x in 0..<sums.count * k {
                            sums[x / k] += Int(samples[x])
                            if samples[x] == 0 || samples[x] == 255 { limited[x / k] = true }
                        }
                    }
                }
                let column = coarse.withRow(row) { samples in
                    // Each of the roundings is of half a level, and the weights are rounded too.
                    sums.indices.first { column in
                        !limited[column]
                            && abs(sums[column] - Int(samples[column]) * k * k) * 4 > 5 * k * k
                    }
                }
                if let column { throw .mean(at: scale, component: component, column: column, row: row) }
            }
        }
    }

    private static func isEqual(_ samples: Span<UInt8>, _ row: [UInt8]) -> Bool {
        guard samples.count == row.count else { return false }
        for x in row.indices where samples[x] != row[x] { return false }
        return true
    }
}

/// What libjpeg-turbo makes of a file.
private struct LibjpegPicture {
    let header: JPEGHeader
    let outcome: DecodeOutcome
    /// Rows of each component.
    let planes: [[[UInt8]]]
    /// Which components are decoded at the scale that was asked for; others, being subsampled, at a larger.
    let isAsCoarse: [Bool]

    var isProgressive: Bool { header.process.kind == .progressive }

    init(_ bytes: [UInt8], at scale: DecodeScale) throws(JPEGError) {
        let header = try JPEGHeader(parsing: bytes.span)
        self.header = header
        let decoder = try JPEGDecoder(header, scale: scale)
        isAsCoarse = zip(header.components, decoder.planes).map { component, plane in
            let width = Double(header.size.width * component.h * scale.eighths)
            return plane.extent.width == width / Double(8 * header.maximumH)
        }
        var planes = [[[UInt8]]](repeating: [], count: header.components.count)
        outcome = try decoder.decodePlanes(bytes.span, memoryLimit: header.decoderBytes(at: scale)) {
            component, _, samples in
            planes[component].append(samples.indices.map { samples[$0] })
            return .more
        }
        self.planes = planes
    }
}

extension ScaledPicture {
    /// By component and row.
    package var samples: [[[UInt8]]] {
        planes.map { plane in
            (0..<plane.rows).map { y in plane.withRow(y) { row in row.indices.map { row[$0] } } }
        }
    }
}
