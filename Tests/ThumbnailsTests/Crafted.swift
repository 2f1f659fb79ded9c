import Geometry
import Glibc
import JPEG

/// Files made of others, where a fixture would be too large or one of too many.
extension [UInt8] {
    /// This JPEG with a segment behind its start of image.
    func withSegment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return self[..<2] + [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload + self[2...]
    }

    /// This JPEG with Exif that says how to turn it.
    func withOrientation(_ value: UInt8) -> [UInt8] {
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0]
        return withSegment(0xE1, Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0])
    }

    /// This JPEG with a colour profile in as many chunks as it takes.
    func withProfile(_ profile: [UInt8]) -> [UInt8] {
        let chunk = ICCProfile.largestChunk
        let total = (profile.count + chunk - 1) / chunk
        var segments: [UInt8] = []
        for number in 0..<total {
            let part = profile[number * chunk..<Swift.min(profile.count, (number + 1) * chunk)]
            let length = 16 + part.count
            segments += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + Array("ICC_PROFILE\0".utf8)
            segments += [UInt8(number + 1), UInt8(total)] + part
        }
        return self[..<2] + segments + self[2...]
    }

    /// This JPEG with another frame header's marker.
    func withFrameMarker(_ marker: UInt8) -> [UInt8] {
        var file = self
        file[frame + 1] = marker
        return file
    }

    /// This JPEG with a frame header that claims another size.
    func withFrameSize(_ width: Int, _ height: Int) -> [UInt8] {
        var file = self
        let size = [height >> 8, height & 255, width >> 8, width & 255].map(UInt8.init)
        file.replaceSubrange(frame + 5..<frame + 9, with: size)
        return file
    }

    /// Where the marker of the frame header stands, baseline or progressive.
    private var frame: Int {
        indices.first { self[$0] == 0xFF && (self[$0 + 1] == 0xC0 || self[$0 + 1] == 0xC2) } ?? 0
    }

    /// This JPEG with its height once more, in a DNL segment before its end of image, which is the last that
    /// it has: legal, rare, and passed over by libjpeg.
    func withHeightAtEnd(_ height: Int) -> [UInt8] {
        dropLast(2) + [0xFF, 0xDC, 0, 4, UInt8(height >> 8), UInt8(height & 255)] + suffix(2)
    }

    struct CannotWrite: Error { let path: String }

    func write(to path: String) throws {
        guard let stream = unsafe fopen(path, "wb") else { throw CannotWrite(path: path) }
        defer { unsafe fclose(stream) }
        guard unsafe fwrite(self, 1, count, stream) == count else { throw CannotWrite(path: path) }
    }
}

/// A picture of one colour: small as a file, whatever its size.
func flatPicture(_ size: PixelSize) throws -> [UInt8] {
    let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    let luma = [UInt8](repeating: 90, count: size.pixelCount)
    let blue = [UInt8](repeating: 60, count: chroma.pixelCount)
    return try JPEGEncoder(quality: 80).encode(
        size: size, luma: luma.span, lumaStride: size.width, blue: blue.span, red: blue.span,
        chromaStride: chroma.width)
}
