public import Geometry

/// What a decode at k/8 gives and takes, said from the header alone: nothing is read or allocated yet.
///
/// Upper bounds, to the page: who admits a decode with them is never surprised.
public struct ScaledForecast: Sendable {
    private let frame: FrameHeader

    /// - Parameters:
    ///   - size: of the stored picture, in pixels.
    ///   - sampling: horizontal and vertical factors, one pair a component.
    /// - Throws: what this decoder would decline the file for.
    public init(
        size: PixelSize, sampling: [(h: Int, v: Int)], isProgressive: Bool
    ) throws(Declined) {
        guard sampling.count == 1 || sampling.count == 3 else { throw .unusual(.components) }
        frame = try FrameHeader(
            width: size.width, height: size.height, isProgressive: isProgressive,
            sampling.map { FrameHeader.Entry(id: 0, h: $0.h, v: $0.v, quantisation: 0) })
    }

    /// The planes that come, in the frame's order.
    public func planes(at scale: DecodeScale) -> [ScaledExtent] {
        frame.components.map { ScaledExtent($0, of: frame, eighths: scale.eighths) }
    }

    /// The planes' memory, held until the picture is given up.
    public func planeBytes(at scale: DecodeScale) -> Int {
        ScaledPlane.bytes(of: frame, eighths: scale.eighths)
    }

    /// The most that a decode holds at a time, planes included.
    ///
    /// - Parameter fileBytes: the file's length: no window is larger than the file.
    public func peakBytes(at scale: DecodeScale, fileBytes: Int) -> Int {
        frame.isProgressive
            ? ProgressiveDecoder.peakBytes(of: frame, eighths: scale.eighths)
            : BaselineDecoder.peakBytes(of: frame, eighths: scale.eighths, fileBytes: fileBytes)
    }
}

/// The size of one component at k/8.
public struct ScaledExtent: Hashable, Sendable {
    /// Of picture, in samples: the stored size · k/8, real numbers.
    public let width: Double
    public let height: Double
    /// Samples that show any of it: the same rounded up.
    public let columns: Int
    public let rows: Int

    init(_ component: FrameComponent, of frame: FrameHeader, eighths k: Int) {
        let (across, down) = (frame.width * component.h * k, frame.height * component.v * k)
        width = Double(across) / Double(8 * frame.maximumH)
        height = Double(down) / Double(8 * frame.maximumV)
        columns = across.dividedRoundingUp(by: 8 * frame.maximumH)
        rows = down.dividedRoundingUp(by: 8 * frame.maximumV)
    }
}

extension ProgressiveDecoder {
    /// Coefficients of the whole picture, two bytes each. Above 1/8, while scans are read, also a word a
    /// block that says which of its coefficients are not zero, for refinements; then the planes.
    static func peakBytes(of frame: FrameHeader, eighths k: Int) -> Int {
        let blocks = frame.components.reduce(0) { $0 + $1.columnsKept(eighths: k) * $1.storedRows }
        let history = k > 1 ? blocks * MemoryLayout<UInt64>.size : 0
        let planes = ScaledPlane.bytes(of: frame, eighths: k)
        return blocks * k * k * MemoryLayout<Int16>.size + max(history, planes) + fixedBytes
    }

    /// A window of the file, lookup tables, and the script's scans, 500 at most.
    private static let fixedBytes = 256 << 10
}

extension BaselineDecoder {
    /// The planes, a window of the file with what lanes write about it, and the coefficients of one row of MCUs.
    static func peakBytes(of frame: FrameHeader, eighths k: Int, fileBytes: Int) -> Int {
        let row = frame.components.reduce(0) { $0 + $1.columnsKept(eighths: k) * $1.v }
        let window = min(fileBytes, Stretch.unstuffed)
        return ScaledPlane.bytes(of: frame, eighths: k) + row * k * k * MemoryLayout<Int16>.size
            + window + LanePlan.words(ofWindow: window) * MemoryLayout<UInt32>.size + fixedBytes
    }

    /// Lookup tables: 90 KB, or 190 with the strangest codes, and as much again while they are put together;
    /// those of lanes, their pieces, and places of restart markers.
    private static let fixedBytes = 448 << 10
}

extension FrameComponent {
    /// Rows of blocks are kept in whole groups, for the transform.
    fileprivate func columnsKept(eighths k: Int) -> Int {
        BlockGroups(blocks: storedColumns, eighths: k).count * BlockGroups.size
    }
}
