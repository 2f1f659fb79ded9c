internal import Geometry
internal import JPEG
internal import Pixels

/// A thumbnail's planes as the encoder takes them: luma, and chroma at half size.
enum ThumbnailPlanes: ~Copyable {
    case grey(PixelSize, Plane)
    case colour(PixelSize, luma: Plane, blue: Plane, red: Plane)

    /// Of full-size RGB planes.
    init(_ size: PixelSize, red: consuming Plane, green: consuming Plane, blue: consuming Plane) {
        do {
            var first = red.mutableSamples
            var second = green.mutableSamples
            var third = blue.mutableSamples
            ColourConversion.convertRGBToYCbCr(&first, &second, &third)
        }
        let halving = PlaneFilter.halving(width: size.width, height: size.height)
        self = .colour(size, luma: red, blue: green.resampled(by: halving), red: blue.resampled(by: halving))
    }

    /// Of full-size CMYK planes.
    init(
        _ size: PixelSize, cyan: consuming Plane, magenta: consuming Plane, yellow: consuming Plane,
        black: consuming Plane, _ polarity: ColourConversion.InkPolarity
    ) {
        do {
            var first = cyan.mutableSamples
            var second = magenta.mutableSamples
            var third = yellow.mutableSamples
            ColourConversion.convertCMYKToRGB(
                &first, &second, &third, black: black.samples, polarity: polarity)
        }
        self.init(size, red: cyan, green: magenta, blue: yellow)
    }

    /// Of full-size YCCK planes.
    init(
        _ size: PixelSize, luma: consuming Plane, blue: consuming Plane, red: consuming Plane,
        black: consuming Plane, _ polarity: ColourConversion.InkPolarity
    ) {
        do {
            var first = luma.mutableSamples
            var second = blue.mutableSamples
            var third = red.mutableSamples
            ColourConversion.convertYCCKToCMYK(&first, &second, &third)
        }
        self.init(size, cyan: luma, magenta: blue, yellow: red, black: black, polarity)
    }

    consuming func encode(quality: Int, profile: [UInt8]?) throws(PictureError) -> [UInt8] {
        let encoder = JPEGEncoder(quality: quality, iccProfile: profile)
        do throws(JPEGError) {
            switch consume self {
            case .grey(let size, let plane):
                return try encoder.encodeGrey(size: size, luma: plane.samples, stride: plane.width)
            case .colour(let size, let luma, let blue, let red):
                return try encoder.encode(
                    size: size, luma: luma.samples, lumaStride: luma.width, blue: blue.samples,
                    red: red.samples, chromaStride: blue.width)
            }
        } catch {
            throw PictureError(error)
        }
    }
}
