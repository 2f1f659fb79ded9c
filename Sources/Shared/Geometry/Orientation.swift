/// How a picture is stored relative to how it is shown: Exif's orientation, under Exif's numbers and
/// CGImagePropertyOrientation's names.
///
/// The eight values are the symmetries of a rectangle. Each is described by where a displayed pixel
/// comes from: sides swapped or not, then stored columns and stored rows mirrored or not.
public enum Orientation: Int, CaseIterable, Hashable, Sendable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    /// Rotate the stored picture a quarter turn clockwise to show it: a phone held upright.
    case right = 6
    case rightMirrored = 7
    /// Rotate the stored picture a quarter turn anticlockwise to show it.
    case left = 8

    /// True if the displayed width is the stored height.
    public var swapsSides: Bool { rawValue >= 5 }

    /// True if the stored columns are read from right to left.
    public var mirrorsColumns: Bool {
        switch self {
        case .upMirrored, .down, .rightMirrored, .left: true
        case .up, .downMirrored, .leftMirrored, .right: false
        }
    }

    /// True if the stored rows are read from bottom to top.
    public var mirrorsRows: Bool {
        switch self {
        case .down, .downMirrored, .right, .rightMirrored: true
        case .up, .upMirrored, .leftMirrored, .left: false
        }
    }

    /// The displayed size of a stored one, and the stored size of a displayed one.
    public func applied(to size: PixelSize) -> PixelSize { swapsSides ? size.transposed : size }

    /// The orientation that undoes this one.
    public var inverse: Orientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }

    /// The orientation that does what this one and then the next do.
    public func then(_ next: Orientation) -> Orientation {
        // Behind swapped sides the next one's columns are this one's rows.
        let nextColumns = swapsSides ? next.mirrorsRows : next.mirrorsColumns
        let nextRows = swapsSides ? next.mirrorsColumns : next.mirrorsRows
        return Orientation(
            swapsSides: swapsSides != next.swapsSides,
            mirrorsColumns: mirrorsColumns != nextColumns,
            mirrorsRows: mirrorsRows != nextRows)
    }

    private init(swapsSides: Bool, mirrorsColumns: Bool, mirrorsRows: Bool) {
        self =
            switch (swapsSides, mirrorsColumns, mirrorsRows) {
            case (false, false, false): .up
            case (false, true, false): .upMirrored
            case (false, true, true): .down
            case (false, false, true): .downMirrored
            case (true, false, false): .leftMirrored
            case (true, false, true): .right
            case (true, true, true): .rightMirrored
            case (true, true, false): .left
            }
    }
}
