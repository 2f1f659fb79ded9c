internal import Buffers
import CTurboJPEG
public import Geometry

/// Writes a baseline JPEG from planes: 4:2:0 or grey, an optional colour profile, nothing else.
///
/// The same planes give the same bytes on every machine: the accurate integer DCT is exact in every
/// SIMD variant. An encoder is a value; its TurboJPEG handle lives for one call only, because it
/// belongs to a thread and costs less than a microsecond.
///
/// TurboJPEG obeys TJ_OPTIMIZE, TJ_ARITHMETIC, TJ_RESTART and TJ_PROGRESSIVE in the environment, so a
/// program that promises equal bytes must unset them before its first thread.
public struct JPEGEncoder: Sendable {
    /// 1…100 as libjpeg understands it.
    public let quality: Int
    /// Embedded byte for byte.
    public let iccProfile: [UInt8]?

    /// - Precondition: quality is 1…100, and the profile, if any, fits in 255 segments.
    public init(quality: Int, iccProfile: [UInt8]? = nil) {
        precondition((1...100).contains(quality), "JPEG quality runs from 1 to 100")
        precondition(
            (iccProfile?.count ?? 0) <= ICCProfile.mostChunks * ICCProfile.largestChunk,
            "a colour profile has at most 255 chunks")
        self.quality = quality
        self.iccProfile = iccProfile
    }

    /// Encodes three planes: luma of `size`, chroma of half of it rounded up.
    ///
    /// Row r of a plane begins at sample r × its stride.
    /// - Throws: `.encoderFailed`.
    public func encode(
        size: PixelSize, luma: Span<UInt8>, lumaStride: Int, blue: Span<UInt8>, red: Span<UInt8>,
        chromaStride: Int
    ) throws(JPEGError) -> [UInt8] {
        let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        Self.check(luma, size, lumaStride)
        Self.check(blue, chroma, chromaStride)
        Self.check(red, chroma, chromaStride)
        // TurboJPEG reads luma up to even sides.
        if chroma.width * 2 != size.width || chroma.height * 2 != size.height {
            let even = PixelSize(width: chroma.width * 2, height: chroma.height * 2)
            let padded = Self.padded(luma, size, lumaStride, to: even)
            return try compress(
                size, TJSAMP_420, padded.span, even.width, blue: blue, red: red, chromaStride)
        }
        return try compress(size, TJSAMP_420, luma, lumaStride, blue: blue, red: red, chromaStride)
    }

    /// Encodes one plane as a grey picture.
    public func encodeGrey(
        size: PixelSize, luma: Span<UInt8>, stride: Int
    ) throws(JPEGError) -> [UInt8] {
        Self.check(luma, size, stride)
        return try compress(size, TJSAMP_GRAY, luma, stride, blue: luma, red: luma, stride)
    }

    private static func check(_ plane: Span<UInt8>, _ size: PixelSize, _ stride: Int) {
        precondition(
            size.width > 0 && size.height > 0 && stride >= size.width
                && plane.count >= (size.height - 1) * stride + size.width,
            "the plane is smaller than the picture")
    }

    private static func padded(
        _ plane: Span<UInt8>, _ size: PixelSize, _ stride: Int, to even: PixelSize
    ) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(even.width * even.height)
        for y in 0..<even.height {
            let row = min(y, size.height - 1) * stride
            for x in 0..<even.width { copy.append(plane[row + min(x, size.width - 1)]) }
        }
        return copy
    }

    /// Encodes behind a gap for the profile, then moves the file's first two segments before it:
    /// one buffer, and of a large picture no copy.
    private func compress(
        _ size: PixelSize, _ sampling: TJSAMP, _ luma: Span<UInt8>, _ lumaStride: Int,
        blue: Span<UInt8>, red: Span<UInt8>, _ chromaStride: Int
    ) throws(JPEGError) -> [UInt8] {
        let gap = Self.profileSegmentsBytes(iccProfile?.count ?? 0)
        let room = gap + Self.bufferBytes(size)
        func encode(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(JPEGError) -> Int {
            let space = unsafe UnsafeMutableBufferPointer(rebasing: buffer[gap...])
            let encoded = unsafe try compress(
                size, sampling, luma, lumaStride, blue: blue, red: red, chromaStride, into: space)
            if gap > 0 { unsafe spliceProfile(into: buffer, gap: gap) }
            return gap + encoded
        }
        // Of a small picture, mapping the buffer for each and giving it back took longer than copying the file.
        if Self.isScratch(room), let scratch = PooledBuffer(count: room, content: .anything) {
            let buffer = unsafe scratch.bytes.bindMemory(to: UInt8.self)
            let count = unsafe try encode(into: buffer)
            return unsafe [UInt8](buffer[..<count])
        }
        var failure: JPEGError?
        let file = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            do throws(JPEGError) { count = unsafe try encode(into: buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        return file
    }

    private func compress(
        _ size: PixelSize, _ sampling: TJSAMP, _ luma: Span<UInt8>, _ lumaStride: Int,
        blue: Span<UInt8>, red: Span<UInt8>, _ chromaStride: Int,
        into space: UnsafeMutableBufferPointer<UInt8>
    ) throws(JPEGError) -> Int {
        // TurboJPEG is not told how large the buffer is; a smaller one would be overrun.
        precondition(space.count >= Self.bufferBytes(size), "the room that TurboJPEG takes for granted")
        guard let handle = unsafe tjInitCompress() else {
            throw .encoderFailed("no memory for a TurboJPEG handle")
        }
        defer { unsafe tjDestroy(handle) }
        var output = space.baseAddress
        var count: UInt = 0
        let status = unsafe luma.withUnsafeBufferPointer { y in
            unsafe blue.withUnsafeBufferPointer { cb in
                unsafe red.withUnsafeBufferPointer { cr in
                    var planes = unsafe [y.baseAddress, cb.baseAddress, cr.baseAddress]
                    var strides = [Int32(lumaStride), Int32(chromaStride), Int32(chromaStride)]
                    return unsafe tjCompressFromYUVPlanes(
                        handle, &planes, Int32(size.width), &strides, Int32(size.height),
                        Int32(sampling.rawValue), &output, &count, Int32(quality),
                        TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC)
                }
            }
        }
        guard status == 0 else { throw .encoderFailed(unsafe String(cString: tjGetErrorStr2(handle))) }
        return Int(count)
    }

    // MARK: The profile

    private static let chunkHead = Array("ICC_PROFILE\0".utf8)

    /// What a profile of this many bytes takes in a file, its chunks' heads included.
    public static func profileSegmentsBytes(_ profileBytes: Int) -> Int {
        let chunks = (profileBytes + ICCProfile.largestChunk - 1) / ICCProfile.largestChunk
        return profileBytes + chunks * (4 + chunkHead.count + 2)
    }

    /// Start of image and the JFIF segment come first; readers look for JFIF there.
    private func spliceProfile(into buffer: UnsafeMutableBufferPointer<UInt8>, gap: Int) {
        let head = unsafe 2 + 2 + Int(buffer[gap + 4]) << 8 + Int(buffer[gap + 5])
        for index in 0..<head { unsafe buffer[index] = buffer[gap + index] }
        var next = head
        let profile = iccProfile ?? []
        let total = (profile.count + ICCProfile.largestChunk - 1) / ICCProfile.largestChunk
        for number in 0..<total {
            let start = number * ICCProfile.largestChunk
            let end = min(profile.count, start + ICCProfile.largestChunk)
            let length = 2 + Self.chunkHead.count + 2 + end - start
            let segmentHead: [UInt8] =
                [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + Self.chunkHead
                + [UInt8(number + 1), UInt8(total)]
            for byte in segmentHead {
                unsafe buffer[next] = byte
                next += 1
            }
            for index in start..<end {
                unsafe buffer[next] = profile[index]
                next += 1
            }
        }
        precondition(next == gap + head, "the colour profile fills its gap exactly")
    }
}

extension JPEGEncoder {
    /// Upper bound of an encoded file without its profile, in bytes: what becomes resident of its buffer.
    ///
    /// TurboJPEG's own bound, 3 bytes a pixel, is right at quality 100 and twice too much at the usual
    /// ones. The worst pictures known are of black and white noise, which holds all the energy that 8 bits
    /// can and spreads it over every coefficient: 1.08 bytes a pixel at quality 80, 1.42 at 90, 2.77 at
    /// 100. Photographs take a tenth of it. A test encodes such noise at every quality.
    public static func encodedBound(_ size: PixelSize, quality: Int) -> Int {
        let bound = bufferBytes(size)
        let share = quality <= 80 ? 1.0 / 2 : quality <= 90 ? 2.0 / 3 : 1
        return Int(Double(bound) * share) + headerBytes
    }

    /// The room that TurboJPEG takes for granted: with TJFLAG_NOREALLOC it never looks at the buffer's size,
    /// and a smaller one would be overrun. Grey pictures would do with two thirds. Pages that the file does
    /// not reach cost nothing.
    static func bufferBytes(_ size: PixelSize) -> Int {
        Int(tjBufSize(Int32(size.width), Int32(size.height), Int32(TJSAMP_420.rawValue)))
    }

    /// Tables and segments in front of the picture data: 623 bytes.
    private static let headerBytes = 1024

    /// Whether a buffer of this many bytes is used for one thumbnail after the other, and the file copied out of it. Of a
    /// larger one only the pages that the file reaches become resident, so it becomes the file.
    private static func isScratch(_ room: Int) -> Bool { room <= 1 << 20 }

    /// Upper bound of what encoding takes beside the planes and the encoded bytes: for odd sides a
    /// copy of luma, one row of MCUs, pointers to rows, tables, and the buffer of a small picture.
    ///
    /// - Parameter profileBytes: of the embedded colour profile.
    public static func workingBytes(_ size: PixelSize, profileBytes: Int) -> Int {
        let room = profileSegmentsBytes(profileBytes) + bufferBytes(size)
        let isOdd = size.width % 2 != 0 || size.height % 2 != 0
        let copy = isOdd ? (size.width + 1) * (size.height + 1) : 0
        return copy + (isScratch(room) ? room + 4096 : 0)
            + (size.width + 32) * 24 + (size.height + 16) * 24 + fixedBytes
    }

    /// libjpeg's compressor and its tables.
    private static let fixedBytes = 96 << 10
}
