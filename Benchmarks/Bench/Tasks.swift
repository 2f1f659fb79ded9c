import Files
import Geometry
import Glibc
import ScaledJPEG
import Thumbnails
import Units

/// What the benchmarks time: a worker's steps between claim and settle, on one thread, nothing written.
struct Tasks {
    let options: RenderOptions

    private static let quality = 80
    /// Every file of the machine: the one who measures names the pictures.
    private static let everything = Result { try SourceRoots(["/"]) }

    /// - Returns: the bytes of all thumbnails.
    func thumbnail(_ points: String, _ scales: [Double], of path: String) throws -> Int {
        let (plan, bytes) = try planned(points, scales, of: path)
        let rendering = try bytes.withBytes { bytes throws(PictureError) in
            try plan.confirmed(by: bytes).render(bytes, within: .max)
        }
        return rendering.thumbnails.reduce(0) { $0 + $1.encoded.count }
    }

    /// Reads the file and decodes its bits at 1/8, with the least of all transforms and nothing after it.
    ///
    /// - Returns: the rows that came, all components together.
    func floor(_ path: String) throws -> Int {
        let file = try open(path)
        let bytes = try file.readAll(limit: file.size)
        return try bytes.withBytes { bytes throws(Declined) in
            try ScaledDecoder.decode(bytes, at: .eighth).planes.reduce(0) { $0 + $1.rows }
        }
    }

    /// Writes the luma of the thumbnail before it is encoded, row after row, to `output`.
    func luma(_ points: String, of path: String, into output: String) throws -> PixelSize {
        let (plan, bytes) = try planned(points, [1], of: path)
        let luma = try bytes.withBytes { bytes throws(PictureError) in try plan.unencodedLuma(bytes) }
        guard let file = unsafe fopen(output, "wb") else { throw BenchError.unwritable(output, errno) }
        let written = unsafe fwrite(luma.samples, 1, luma.samples.count, file)
        guard unsafe fclose(file) == 0, written == luma.samples.count else {
            throw BenchError.unwritable(output, errno)
        }
        return luma.size
    }

    /// As the worker opens, inspects, plans and reads.
    private func planned(
        _ points: String, _ scales: [Double], of path: String
    ) throws -> (RenderPlan, SourceBytes) {
        let request = ThumbnailRequest(
            points: try PointSize(points), scales: scales, quality: Self.quality, options: options)
        let file = try open(path)
        let plan = try RenderPlan(
            try inspect(file), request, fileBytes: Int(file.size.bytes), within: .max)
        return (plan, try file.readAll(limit: plan.footprint.source))
    }

    private func open(_ path: String) throws -> SourceFile { try Self.everything.get().open(path) }

    private func inspect(_ file: SourceFile) throws -> InspectedPicture {
        var inspection = PictureInspection()
        while true {
            let window = try file.read(
                at: Int64(inspection.wanted.lowerBound), count: inspection.wanted.count)
            if let picture = try inspection.take(window.span) { return picture }
        }
    }
}

enum BenchError: Error, CustomStringConvertible {
    case unwritable(String, Int32)

    var description: String {
        switch self {
        case .unwritable(let path, let number): "\(path) cannot be written: errno \(number)"
        }
    }
}
