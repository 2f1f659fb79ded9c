public import Geometry
internal import JPEG
public import PictureFormats
public import Units

/// Why a picture gave no thumbnail. The wording is in `description` and nowhere else.
public enum PictureError: Error, Equatable, Sendable {
    /// The file has no bytes.
    case empty
    /// The first bytes are those of no picture format that is known here.
    case notAPicture
    /// A picture, but of a kind that is not decoded here; `detail` names the variant.
    case unsupported(PictureFormat, detail: String?)
    /// The bytes contradict the format, or the picture data is not what its encoder wrote.
    case damaged(Damage)
    /// The file ends before its picture does. Rows of the stored picture, from the top.
    case truncated(rowsGood: Int, of: Int)
    /// The file ends before its header does.
    case truncatedHeader(length: Int)
    /// Decoding it would cost more than anyone's picture is worth.
    case refused(Refusal)
    /// The request does not fit the picture.
    case geometry(GeometryError)
    /// The caller asked to stop.
    case stopped
    /// The file that was read is not the file whose header was read.
    case changed
    /// The decoder that was planned for left the file to the next one, which takes more than the job holds:
    /// nothing is wrong with the picture, and with a footprint of so much it is decoded.
    case needsMemory(ByteCount)
    /// Our own mistake: the estimate was too low, or an encoder refused sound planes.
    case failed(String)

    public enum Damage: Equatable, Sendable {
        case header(String)
        case rows(good: Int, of: Int)
    }

    public enum Refusal: Equatable, Sendable {
        case tooManyPixels(size: PixelSize, limit: Int)
        case tooManyScans(limit: Int)
        case headerTooLong(limit: Int)
        /// Bytes of picture data, at least needed and found.
        case claimsMoreThanFileHolds(size: PixelSize, needed: Int, found: Int)
    }
}

extension PictureError {
    init(_ error: JPEGError) {
        self =
            switch error {
            case .notAJPEG: .notAPicture
            case .truncatedHeader(let length): .truncatedHeader(length: length)
            case .malformed(let what): .damaged(.header("\(what)"))
            case .unsupported(let feature): .unsupported(.jpeg, detail: "\(feature)")
            case .headerTooLong(let limit): .refused(.headerTooLong(limit: limit))
            case .tooManyScans(let limit): .refused(.tooManyScans(limit: limit))
            case .stopped: .stopped
            case .memoryLimit, .encoderFailed: .failed("\(error)")
            }
    }
}

extension PictureError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the file is empty"
        case .notAPicture: "the file does not begin like any picture format known here"
        case .unsupported(let format, let detail):
            if let detail {
                "the file is \(format.name) of a kind that is not supported: \(detail)"
            } else {
                "the file is \(format.name), which is not supported yet; JPEG is"
            }
        case .damaged(.header(let what)): "the picture's structure is damaged: \(what)"
        case .damaged(.rows(let good, let total)):
            "the picture data is damaged: \(good) of \(total) rows are good"
        case .truncated(let good, let total): "the file is cut off: \(good) of \(total) rows are good"
        case .truncatedHeader(let length): "the file is cut off inside its header, after \(length) bytes"
        case .refused(let refusal): "refused: \(refusal)"
        case .geometry(let error): "\(error)"
        case .stopped: "stopped on request"
        case .changed: "the file changed between its header and its data"
        case .needsMemory(let footprint): "decoding the file takes \(footprint), more than was planned"
        case .failed(let what): what
        }
    }
}

extension PictureError.Refusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooManyPixels(let size, let limit):
            "\(size) has \(size.pixelCount) pixels, more than the limit of \(limit)"
        case .tooManyScans(let limit): "more than \(limit) scans"
        case .headerTooLong(let limit): "the header goes on for more than \(limit) bytes"
        case .claimsMoreThanFileHolds(let size, let needed, let found):
            "a \(size) picture needs \(needed) bytes of picture data or more; the file has \(found)"
        }
    }
}
