/// What kind of picture a file is: decided by its first bytes, never by its name.
///
/// Only JPEG is decoded here; the others are told apart so that a message can say what was found.
public enum PictureFormat: String, CaseIterable, Hashable, Sendable {
    case jpeg
    case png
    case gif
    case webp
    case tiff
    case bmp
    case heic
    case avif
    /// A JPEG XL codestream, bare or in its container.
    case jpegXL
    /// A JPEG 2000 codestream, bare or in its container.
    case jpeg2000
    case jpegXR
    case psd
    case ico
    case qoi
    case dds
    case openEXR
    case radianceHDR
    case netpbm
    case icns
    case svg
    case pdf
    /// Raw files with a signature of their own; those that are plain TIFF inside (NEF, ARW, DNG) show as `tiff`.
    case canonRaw
    case fujifilmRaw
    case olympusRaw
    case panasonicRaw
    case sigmaRaw
    /// A film (MP4, QuickTime): common in photo folders, and no picture.
    case isoMovie

    /// How a message names a file of this kind, article included: "a PNG picture".
    public var name: String {
        switch self {
        case .jpeg: "a JPEG picture"
        case .png: "a PNG picture"
        case .gif: "a GIF picture"
        case .webp: "a WebP picture"
        case .tiff: "a TIFF picture"
        case .bmp: "a BMP picture"
        case .heic: "a HEIC picture"
        case .avif: "an AVIF picture"
        case .jpegXL: "a JPEG XL picture"
        case .jpeg2000: "a JPEG 2000 picture"
        case .jpegXR: "a JPEG XR picture"
        case .psd: "a Photoshop document"
        case .ico: "a Windows icon"
        case .qoi: "a QOI picture"
        case .dds: "a DDS texture"
        case .openEXR: "an OpenEXR picture"
        case .radianceHDR: "a Radiance HDR picture"
        case .netpbm: "a Netpbm picture"
        case .icns: "an Apple icon"
        case .svg: "an SVG drawing"
        case .pdf: "a PDF document"
        case .canonRaw: "a Canon raw picture"
        case .fujifilmRaw: "a Fujifilm raw picture"
        case .olympusRaw: "an Olympus raw picture"
        case .panasonicRaw: "a Panasonic raw picture"
        case .sigmaRaw: "a Sigma raw picture"
        case .isoMovie: "a film"
        }
    }
}
