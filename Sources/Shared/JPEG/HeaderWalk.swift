import Geometry

/// Walks a JPEG's segments up to its first scan, reading only what it needs.
///
/// A value that does no I/O: read the bytes of `wanted` from the file, hand them to `take`, and
/// repeat until it returns a header. It sees what libjpeg sees, but neither decodes nor allocates
/// by the file's word, and passes over long segments without reading them.
public struct HeaderWalk: Sendable {
    /// The next bytes to read. A read that ends early means that the file ends there.
    public private(set) var wanted = 0..<HeaderWalk.windowLength

    /// Large enough for every segment that is read whole: the longest is a frame header of 775 bytes.
    public static let windowLength = 4096
    /// A hundred thousand segments need 26 MiB; no camera's header comes near.
    public static let mostBytesRead = 64 << 20

    private var position = 0
    private var bytesRead = 0
    private var frame: Frame?
    private var restartInterval = 0
    private var sawJFIF = false
    private var adobeTransform: UInt8?
    private var sawHuffmanTable = false
    private var exif: Range<Int>?
    private var xmp: Range<Int>?
    private var iccChunks: [JPEGHeader.ICCChunk] = []
    private var notes: Set<JPEGHeader.Note> = []

    public init() {}

    /// Walks on through the bytes of `wanted`; nil means that `wanted` has moved and more is needed.
    public mutating func take(_ window: Span<UInt8>) throws(JPEGError) -> JPEGHeader? {
        let bytes = HeaderWindow(
            start: wanted.lowerBound, count: min(window.count, wanted.count),
            endsFile: window.count < wanted.count)
        bytesRead += bytes.count
        guard bytesRead <= Self.mostBytesRead else { throw .headerTooLong(limit: Self.mostBytesRead) }
        if position == 0 {
            guard bytes.count >= 2, window[0] == 0xFF, window[1] == 0xD8 else { throw .notAJPEG }
            position = 2
        }
        while let marker = findMarker(in: window, bytes) {
            switch try take(marker, in: window, bytes) {
            case .next: continue
            case .finished(let header): return header
            case .moreBytes: break
            }
            break
        }
        if bytes.endsFile { throw .truncatedHeader(length: bytes.end) }
        wanted = position..<position + Self.windowLength
        return nil
    }

    private enum Progress {
        case next, moreBytes
        case finished(JPEGHeader)
    }

    /// The code of the next marker, with `position` at its FF; nil at the end of the window.
    private mutating func findMarker(in window: Span<UInt8>, _ bytes: HeaderWindow) -> UInt8? {
        while position < bytes.end {
            guard window[position - bytes.start] == 0xFF else {
                notes.insert(.bytesBetweenSegments)
                position += 1
                continue
            }
            guard position + 1 < bytes.end else { return nil }
            switch window[position + 1 - bytes.start] {
            case 0xFF: position += 1  // a fill byte
            case 0x00:
                notes.insert(.bytesBetweenSegments)
                position += 2
            case let code: return code
            }
        }
        return nil
    }

    private mutating func take(
        _ marker: UInt8, in window: Span<UInt8>, _ bytes: HeaderWindow
    ) throws(JPEGError) -> Progress {
        switch marker {
        case 0x01, 0xD0...0xD7:  // TEM and restart markers have no payload
            position += 2
            return .next
        case 0xD8: throw .malformed(.secondStartOfImage(offset: position))
        case 0xD9: throw .malformed(.endBeforeScan(offset: position))
        case 0xDE: throw .unsupported(.hierarchical)
        case 0xC0...0xCF, 0xDA...0xDD, 0xE0...0xEF, 0xFE: break
        default: throw .malformed(.unknownMarker(marker: marker, offset: position))
        }
        guard position + 4 <= bytes.end else { return .moreBytes }
        // libjpeg takes a length below 2 for an empty payload.
        let length = max(2, window.uint16(at: position + 2 - bytes.start))
        let payload = position + 4..<position + 2 + length
        let needed = min(payload.upperBound, payload.lowerBound + Self.payloadNeeded(marker))
        guard needed <= bytes.end else { return .moreBytes }
        let view = window.extracting(payload.lowerBound - bytes.start..<needed - bytes.start)
        if marker == 0xDA { return .finished(try finish(with: view, length: length)) }
        try note(marker, view, payload)
        position = payload.upperBound
        return .next
    }

    /// How much of a payload is looked at; the rest is passed over unread.
    private static func payloadNeeded(_ marker: UInt8) -> Int {
        switch marker {
        case 0xC4, 0xCC, 0xDB, 0xDC, 0xFE: 0
        case 0xE0...0xEF: XMPName.count
        default: 1024
        }
    }

    private mutating func note(
        _ marker: UInt8, _ view: Span<UInt8>, _ payload: Range<Int>
    ) throws(JPEGError) {
        switch marker {
        case 0xC4: sawHuffmanTable = true
        case 0xCC, 0xDB, 0xDC, 0xFE: break
        case 0xC8: throw .malformed(.unknownMarker(marker: marker, offset: position))
        case 0xC0...0xCF:
            guard frame == nil else { throw .malformed(.secondFrame(offset: position)) }
            frame = try Frame(marker: marker, view, payloadCount: payload.count, offset: position)
        case 0xDD:
            guard payload.count == 2 else {
                throw .malformed(.segmentLength(marker: marker, offset: position))
            }
            restartInterval = view.uint16(at: 0)
        case 0xE0: if payload.count >= 14, view.starts(with: "JFIF\0") { sawJFIF = true }
        case 0xE1: noteAPP1(view, payload)
        case 0xE2: noteAPP2(view, payload)
        case 0xEE: if payload.count >= 12, view.starts(with: "Adobe") { adobeTransform = view[11] }
        default: break
        }
    }

    private mutating func noteAPP1(_ view: Span<UInt8>, _ payload: Range<Int>) {
        if view.starts(with: "Exif\0\0") {
            if exif == nil { exif = payload } else { notes.insert(.severalExifSegments) }
        } else if xmp == nil, view.starts(with: XMPName) {
            xmp = payload.dropFirst(XMPName.count)
        }
    }

    private mutating func noteAPP2(_ view: Span<UInt8>, _ payload: Range<Int>) {
        if view.starts(with: "MPF\0") {
            notes.insert(.multiplePictures)
        } else if payload.count >= ICCName.count + 2, view.starts(with: ICCName),
            // One more than a profile can have is enough to know that it is broken.
            iccChunks.count <= ICCProfile.mostChunks
        {
            iccChunks.append(
                JPEGHeader.ICCChunk(
                    sequence: view[ICCName.count], total: view[ICCName.count + 1],
                    range: payload.dropFirst(ICCName.count + 2)))
        }
    }

    private mutating func finish(with view: Span<UInt8>, length: Int) throws(JPEGError) -> JPEGHeader {
        guard let frame else { throw .malformed(.scanBeforeFrame(offset: position)) }
        let count = view.count > 0 ? Int(view[0]) : 0
        guard (1...4).contains(count), length == 2 * count + 6, view.count >= length - 2 else {
            throw .malformed(.segmentLength(marker: 0xDA, offset: position))
        }
        var free = Array(frame.components.prefix(4))
        for index in 0..<count {
            guard let match = free.firstIndex(where: { $0.id == view[1 + 2 * index] }) else {
                throw .malformed(.scanComponents(offset: position))
            }
            free.remove(at: match)
        }
        for (index, component) in frame.components.enumerated()
        where !(1...4).contains(component.h) || !(1...4).contains(component.v) {
            throw .malformed(.samplingFactors(component: index))
        }
        let parameters = (view[1 + 2 * count], view[2 + 2 * count], view[3 + 2 * count])
        if frame.process.isSequentialDCT, parameters != (0, 63, 0) { notes.insert(.wrongScanParameters) }
        if !sawHuffmanTable, !frame.process.isArithmetic { notes.insert(.standardHuffmanTables) }
        let colour = frame.colour(sawJFIF: sawJFIF, adobeTransform: adobeTransform)
        if colour.isGuess { notes.insert(.guessedColourTransform) }
        return JPEGHeader(
            size: frame.size, process: frame.process, precision: frame.precision,
            components: frame.components, colour: colour.model, hasAdobeMarker: adobeTransform != nil,
            isMultiScan: frame.process.kind == .progressive || count < frame.components.count,
            restartInterval: restartInterval, exif: exif, xmp: xmp, iccChunks: iccChunks,
            firstScan: position, notes: notes)
    }
}

private let XMPName: StaticString = "http://ns.adobe.com/xap/1.0/\0"
private let ICCName: StaticString = "ICC_PROFILE\0"

/// Where in the file the bytes at hand stand.
private struct HeaderWindow {
    let start: Int
    let count: Int
    let endsFile: Bool
    var end: Int { start + count }
}

extension StaticString {
    fileprivate var count: Int { utf8CodeUnitCount }
}

extension Range<Int> {
    fileprivate func dropFirst(_ count: Int) -> Range<Int> {
        Swift.min(lowerBound + count, upperBound)..<upperBound
    }
}
