// Renders a picture as a worker does, once for each request, and says what its footprint promised and what it
// took (if the planned decoder leaves the file to the next one, the footprint that the job is then admitted with):
//
//     LD_PRELOAD=libAllocationCounter.so RenderProbe FILE REQUEST…
//     16x16@1 footprint N source N decoder N resamplers N encoder N inspection N peak N
//     16x16@1 refused WHY
//
// All in bytes, of the heap as allocated and of mappings as touched, the file's bytes included. `ProbeRequest` says what a request is.

import Geometry
import Glibc
import MemoryBudget
import TestSupport
import Thumbnails
import Units

ProcessMemory.settle()
RenderingEnvironment.settle()

guard let peak = AllocationPeak() else { fatalError("preload libAllocationCounter.so") }
let words = CommandLine.arguments.dropFirst()
guard let path = words.first, words.count > 1, let file = Fixture.contents(of: path) else {
    fatalError("usage: RenderProbe FILE REQUEST…")
}
for word in words.dropFirst() {
    do {
        print(word, try measure(try ProbeRequest(word).thumbnails))
    } catch let error as PictureError {
        print(word, "refused", error)
    }
}

func measure(_ request: ThumbnailRequest) throws -> String {
    // Twice: what the first time allocates for good is the process' and no job's.
    _ = try peak.during { _ = try inspect() }
    let (inspection, picture) = try peak.during { try inspect() }
    let plan = try RenderPlan(picture, request, fileBytes: file.count, within: .max)
    let footprint = try admitted(plan)
    let (rendering, _) = try peak.during { try render(plan, within: footprint.total) }
    return """
        footprint \(footprint.total.bytes) source \(footprint.source.bytes) \
        decoder \(footprint.decoder.bytes) resamplers \(footprint.resamplers.bytes) \
        encoder \(footprint.encoder.bytes) inspection \(inspection) peak \(rendering)
        """
}

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
