// Renders one picture in a process of its own and prints what its footprint promised and what it took (if the
// planned decoder leaves the file to the next one, the footprint that the job is then admitted with):
//
//     RenderProbe FILE WxH SCALE[,SCALE…] gamma|linear whole|partial
//     footprint N source N decoder N resamplers N encoder N inspection N peak N
//
// All in bytes. The peak is the kernel's high-water mark of resident memory, the file's bytes included.

import Geometry
import Glibc
import MemoryBudget
import TestSupport
import Thumbnails
import Units

ProcessMemory.settle()
RenderingEnvironment.settle()

let words = CommandLine.arguments
guard words.count == 6, let file = Fixture.contents(of: words[1]) else {
    fatalError("usage: RenderProbe FILE WxH SCALE[,SCALE…] gamma|linear whole|partial")
}
let request = ThumbnailRequest(
    points: try PointSize(words[2]), scales: words[3].split(separator: ",").compactMap { Double($0) },
    quality: 80,
    options: RenderOptions(usesLinearLight: words[4] == "linear", acceptsPartial: words[5] == "partial"))

// Twice: the first time, code and tables become resident, which is the process' and no job's.
_ = try ResidentPeak.during { _ = try inspect() }
let (inspection, picture) = try ResidentPeak.during { try inspect() }
let plan = try RenderPlan(picture, request, fileBytes: file.count, within: .max)
let footprint = try admitted(plan)
// The most of three, since the kernel leaves something out each time.
let peak = try (1...3).map { _ in try ResidentPeak.during { try render(plan, within: footprint.total) }.bytes
}.reduce(0, max)

print(
    "footprint \(footprint.total.bytes) source \(footprint.source.bytes) decoder \(footprint.decoder.bytes)",
    "resamplers \(footprint.resamplers.bytes) encoder \(footprint.encoder.bytes)",
    "inspection \(inspection) peak \(peak)")

/// As the worker inspects: window by window, each read into an array.
func inspect() throws(PictureError) -> InspectedPicture {
    var inspection = PictureInspection()
    while true {
        let end = min(inspection.wanted.upperBound, file.count)
        let window = [UInt8](file[min(inspection.wanted.lowerBound, end)..<end])
        if let picture = try inspection.take(window.span) { return picture }
    }
}

/// As the worker admits: with more memory once the file turns out to need it.
func admitted(_ plan: RenderPlan) throws -> Footprint {
    do {
        try render(plan, within: plan.footprint.total)
        return plan.footprint
    } catch PictureError.needsMemory(let needed) {
        guard let fallback = plan.fallback, fallback.footprint.total == needed else {
            fatalError("\(needed) is not what the next decoder takes")
        }
        try render(plan, within: needed)
        return fallback.footprint
    }
}

/// As the worker renders: from a mapping of the file's bytes, confirmed.
func render(_ plan: RenderPlan, within memory: ByteCount) throws {
    let mapping = unsafe mmap(
        nil, file.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else { fatalError("no memory") }
    defer { unsafe munmap(mapping, file.count) }
    unsafe file.withUnsafeBytes { unsafe mapping.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    let bytes = unsafe Span<UInt8>(
        _unsafeBytes: UnsafeRawBufferPointer(start: mapping, count: file.count))
    _ = try plan.confirmed(by: bytes).render(bytes, within: memory)
}
