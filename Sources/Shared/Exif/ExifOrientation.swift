public import Geometry

/// How a picture wants to be turned, and which part of its metadata says so.
///
/// The first statement of Exif's IFD0 counts, else XMP's. An orientation that is absent, damaged or
/// out of range is `.up`, and never an error: a wrong tag must not cost a picture.
public struct ExifOrientation: Hashable, Sendable {
    public let value: Orientation
    public let source: Source

    public enum Source: String, Hashable, Sendable {
        /// IFD0, by libexif.
        case exif
        /// IFD0, by a scan of our own, where libexif gave up: Debian 12's version drops the rest of
        /// IFD0 at the first thumbnail tag out of range, as common phones write them.
        case exifScan
        case xmp
        /// Nothing says anything.
        case absent
        /// A statement, but not 1…8.
        case invalid
    }

    /// - Parameters:
    ///   - exif: payload of the first Exif segment, beginning with `Exif\0\0`; at most 64 KiB.
    ///   - xmp: the XML of the first XMP packet.
    public static func find(exif: Span<UInt8>?, xmp: Span<UInt8>?) -> ExifOrientation {
        if let exif, let scanned = IFD0Scan.orientation(in: exif) {
            let byLibrary = LibExif.orientation(in: exif)
            return ExifOrientation(stated: scanned, from: byLibrary == scanned ? .exif : .exifScan)
        }
        // The scan takes fewer liberties than libexif, which also finds tags in odd files.
        if let exif, let byLibrary = LibExif.orientation(in: exif) {
            return ExifOrientation(stated: byLibrary, from: .exif)
        }
        if let xmp, let stated = XMPScan.orientation(in: xmp) {
            return ExifOrientation(stated: stated, from: .xmp)
        }
        return ExifOrientation(value: .up, source: .absent)
    }

    private init(value: Orientation, source: Source) {
        self.value = value
        self.source = source
    }

    private init(stated: Int, from source: Source) {
        if let value = Orientation(rawValue: stated) {
            self.init(value: value, source: source)
        } else {
            self.init(value: .up, source: .invalid)
        }
    }
}
