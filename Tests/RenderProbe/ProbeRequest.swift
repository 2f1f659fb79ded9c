import Geometry
import Thumbnails

/// What is asked of a picture, in one word: `WxH@SCALE[,SCALE…][/linear][/partial]`, such as `120x120@1,2/linear`.
struct ProbeRequest {
    let thumbnails: ThumbnailRequest

    struct Malformed: Error {
        let word: String
    }

    init(_ word: String) throws {
        let parts = word.split(separator: "/")
        let box = parts.first?.split(separator: "@") ?? []
        let scales = box.last?.split(separator: ",").compactMap { Double($0) } ?? []
        guard box.count == 2, !scales.isEmpty, Set(parts.dropFirst()).isSubset(of: ["linear", "partial"])
        else { throw Malformed(word: word) }
        thumbnails = ThumbnailRequest(
            points: try PointSize(String(box[0])), scales: scales, quality: 80,
            options: RenderOptions(
                usesLinearLight: parts.contains("linear"), acceptsPartial: parts.contains("partial")))
    }
}
