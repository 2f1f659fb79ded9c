/// Why a JPEG could not be read or written. The wording is in `description` and nowhere else.
public enum JPEGError: Error, Hashable, Sendable {
    /// The first bytes are not a JPEG's start of image.
    case notAJPEG
    /// The file ends before its first scan: nothing to decode.
    case truncatedHeader(length: Int)
    /// The bytes contradict the standard.
    case malformed(Malformation)
    /// A valid kind of JPEG that this decoder does not handle, by its name.
    case unsupported(Feature)
    /// Longer than any real header; reading on would only serve an attacker.
    case headerTooLong(limit: Int)
    /// Each scan costs a pass over the whole picture, so a small file could cost hours.
    case tooManyScans(limit: Int)
    /// The decoder wanted more memory than it was admitted with.
    case memoryLimit(limit: Int)
    /// The caller asked to stop.
    case stopped
    /// The encoder refused, in its own words.
    case encoderFailed(String)

    public enum Malformation: Hashable, Sendable {
        case secondStartOfImage(offset: Int)
        case secondFrame(offset: Int)
        case scanBeforeFrame(offset: Int)
        case endBeforeScan(offset: Int)
        case emptyPicture
        case segmentLength(marker: UInt8, offset: Int)
        case unknownMarker(marker: UInt8, offset: Int)
        case scanComponents(offset: Int)
        case samplingFactors(component: Int)
        case huffmanTable(offset: Int)
        case scanParameters(offset: Int)
        /// The decoder's own words, when it finds what the header walk does not look for.
        case decoder(String)
    }

    public enum Feature: Hashable, Sendable {
        case process(CodingProcess)
        case precision(bits: Int)
        case componentCount(Int)
        case size(width: Int, height: Int, limit: Int)
        /// SOF says height 0 and a DNL segment after the first scan tells it.
        case heightAfterScan
        case hierarchical
        /// Lossless files with subsampling or more than one scan.
        case losslessLayout
        case decoder(String)
    }
}

extension JPEGError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAJPEG: "not a JPEG: it does not begin with FF D8"
        case .truncatedHeader(let length): "the file ends inside its header, after \(length) bytes"
        case .malformed(let what): "malformed JPEG: \(what)"
        case .unsupported(let what): "unsupported JPEG: \(what)"
        case .headerTooLong(let limit): "the header is longer than \(limit) bytes of rubbish or segments"
        case .tooManyScans(let limit): "more than \(limit) scans"
        case .memoryLimit(let limit): "the decoder needs more than its \(limit) bytes"
        case .stopped: "stopped on request"
        case .encoderFailed(let words): "the encoder failed: \(words)"
        }
    }
}

extension JPEGError.Malformation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .secondStartOfImage(let offset): "a second start of image at byte \(offset)"
        case .secondFrame(let offset): "a second frame header at byte \(offset)"
        case .scanBeforeFrame(let offset): "a scan before any frame header at byte \(offset)"
        case .endBeforeScan(let offset): "the image ends before its first scan, at byte \(offset)"
        case .emptyPicture: "a picture of no width or no components"
        case .segmentLength(let marker, let offset):
            "segment FF\(hex(marker)) at byte \(offset) has a wrong length"
        case .unknownMarker(let marker, let offset): "unknown marker FF\(hex(marker)) at byte \(offset)"
        case .scanComponents(let offset): "the scan at byte \(offset) names components that do not exist"
        case .samplingFactors(let component): "component \(component) has impossible sampling factors"
        case .huffmanTable(let offset): "an impossible Huffman table at byte \(offset)"
        case .scanParameters(let offset): "impossible scan parameters at byte \(offset)"
        case .decoder(let words): words
        }
    }
}

extension JPEGError.Feature: CustomStringConvertible {
    public var description: String {
        switch self {
        case .process(let process): "\(process)"
        case .precision(let bits): "\(bits)-bit samples"
        case .componentCount(let count): "\(count) components"
        case .size(let width, let height, let limit): "\(width)x\(height); at most \(limit) a side"
        case .heightAfterScan: "height in a DNL segment after the scan"
        case .hierarchical: "hierarchical (DHP)"
        case .losslessLayout: "lossless with subsampling or several scans"
        case .decoder(let words): words
        }
    }
}

private func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
}
