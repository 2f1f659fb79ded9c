import Exif
import Geometry
import Glibc
import JPEG
import Pixels
import TestSupport
import Testing
import Units

@testable import Thumbnails

/// Luma before encoding against a plain reference: full decode, one Lanczos-3 step, all in Double.
struct GoldenTests {
    /// At the pipeline's own headroom of two samples a pixel.
    static let leastPSNR = 46.0
    /// At one and a half.
    static let leastPSNRInAHurry = 38.0

    @Test(arguments: [
        ("landscape-420.jpg", "150x150"), ("portrait-422.jpg", "100x100"), ("square-444.jpg", "59x59"),
        ("landscape-progressive.jpg", "77x77"), ("landscape-restarts.jpg", "40x40"),
    ])
    func `a generated landscape agrees with the reference`(name: String, points: String) throws {
        let psnr = try lumaPSNR(Fixture.bytes(name), points)
        #expect(psnr >= Self.leastPSNR, "\(name) at \(points): \(psnr) dB")
    }

    @Test(arguments: ["80x80", "53x53", "31x31"])
    func `linear light agrees with a reference that averages light`(points: String) throws {
        let bytes = Fixture.bytes("landscape-grey.jpg")
        let (ours, size) = try storedLuma(of: bytes, points, RenderOptions(usesLinearLight: true))
        let reference = averagedLight(
            try fullLuma(of: bytes), of: try JPEGHeader(parsing: bytes.span), to: size)
        let found = psnr(ours, reference)
        #expect(found >= Self.leastPSNR, "\(points): \(found) dB")
        // And it is not what averaging the stored values gives.
        let (gamma, _) = try storedLuma(of: bytes, points)
        #expect(psnr(gamma, reference) < found)
    }

    @Test(arguments: [
        "mdx-Canon_PowerShot_A20.jpg", "mdx-Nikon_Coolpix_775.jpg", "mdx-Olympus_PEN_E-P3.jpg",
        "mdx-Panasonic_DMC-LC40.jpg",
    ])
    func `photographs in linear light agree with a reference that averages light`(name: String) throws {
        guard let corpus = Corpus() else { return }
        let bytes = try #require(corpus.bytes("photos/" + name))
        let (ours, size) = try storedLuma(of: bytes, "160x160", RenderOptions(usesLinearLight: true))
        let header = try JPEGHeader(parsing: bytes.span)
        let pixels = try DecodedPicture(decoding: bytes)
        let channels = (0..<3).map { channel in
            averagedLight(
                stride(from: channel, to: pixels.samples.count, by: 3).map { Double(pixels.samples[$0]) },
                of: header, to: size)
        }
        let reference = ours.indices.map { index in
            0.299 * channels[0][index] + 0.587 * channels[1][index] + 0.114 * channels[2][index]
        }
        let found = psnr(ours, reference)
        print("golden linear: \(name) \((found * 10).rounded() / 10) dB")
        #expect(found >= Self.leastPSNR, "\(name): \(found) dB")
    }

    @Test func `photographs agree with the reference`() throws {
        guard let corpus = Corpus() else { return }
        var report: [String] = []
        for row in corpus.manifest where row["path"]?.hasPrefix("photos/") == true {
            guard let path = row["path"], let bytes = corpus.bytes(path) else { continue }
            let picture = try InspectedPicture(inspecting: bytes.span)
            // Small ones are decoded whole, which is the reference itself.
            guard picture.picture.colour == .yCbCr, picture.stored.shortSide > 720 else { continue }
            let psnr = try lumaPSNR(bytes, "360x360")
            report.append("\(path) \((psnr * 10).rounded() / 10) dB")
            #expect(psnr >= Self.leastPSNR, "\(path): \(psnr) dB")
        }
        print("golden: " + report.joined(separator: ", "))
        #expect(!report.isEmpty)
    }

    /// What `--fast` costs where it does anything: at 13 times the thumbnail.
    @Test(arguments: [
        "mdx-Canon_PowerShot_A85.jpg", "mdx-Olympus_PEN_E-P3.jpg", "mdx-Panasonic_DMC-LC40.jpg",
        "exifsamples-22-canon_tags.jpg",
    ])
    func `in a hurry photographs agree with the reference a little less`(name: String) throws {
        guard let corpus = Corpus() else { return }
        let bytes = try #require(corpus.bytes("photos/" + name))
        let side = try InspectedPicture(inspecting: bytes.span).stored.longSide / 13
        let usual = try lumaPSNR(bytes, "\(side)x\(side)")
        let fast = try lumaPSNR(bytes, "\(side)x\(side)", RenderOptions(isFast: true))
        print("golden fast: \(name) \((usual * 10).rounded() / 10), \((fast * 10).rounded() / 10) dB")
        #expect(fast >= Self.leastPSNRInAHurry && fast < usual, "\(name): \(fast) dB")
    }

    /// A spot off the grid must lie where it lay: 0.05 pixels are the most that it may wander.
    @Test(arguments: [
        ("120x120", 1334, 1001), ("360x360", 2007, 1335), ("97x97", 1601, 900), ("50x50", 811, 640),
    ])
    func `nothing wanders`(points: String, width: Int, height: Int) throws {
        let spot = (x: Double(width) * 0.61803, y: Double(height) * 0.41421)
        let spread = Double(width) / 40
        var luma = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let (dx, dy) = (Double(x) + 0.5 - spot.x, Double(y) + 0.5 - spot.y)
                luma[y * width + x] = UInt8(20 + 220 * exp(-(dx * dx + dy * dy) / (2 * spread * spread)))
            }
        }
        let bytes = try JPEGEncoder(quality: 95).encodeGrey(
            size: PixelSize(width: width, height: height), luma: luma.span, stride: width)
        let (plane, size) = try storedLuma(of: bytes, points)
        var (sum, sumX, sumY) = (0.0, 0.0, 0.0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let weight = max(0, Double(plane[y * size.width + x]) - 30)
                sum += weight
                sumX += weight * (Double(x) + 0.5)
                sumY += weight * (Double(y) + 0.5)
            }
        }
        let expectedX = spot.x * Double(size.width) / Double(width)
        let expectedY = spot.y * Double(size.height) / Double(height)
        let (errorX, errorY) = (sumX / sum - expectedX, sumY / sum - expectedY)
        print("golden registration: \(width)x\(height) to \(size): \(errorX), \(errorY) pixels")
        #expect(abs(errorX) <= 0.05 && abs(errorY) <= 0.05, "\(errorX), \(errorY)")
    }

    /// sRGB levels made light, resampled, and made levels again.
    private func averagedLight(_ levels: [Double], of header: JPEGHeader, to size: PixelSize) -> [Double] {
        let light = (0...255).map { level in
            let value = Double(level) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return ReferenceResampler.resample(
            levels.map { light[Int($0)] }, width: header.size.width,
            horizontal: .whole(header.size.width, to: size.width),
            vertical: .whole(header.size.height, to: size.height)
        ).map { light in
            let value = min(1, max(0, light))
            return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055)
        }
    }

    private func lumaPSNR(
        _ bytes: [UInt8], _ points: String, _ options: RenderOptions = RenderOptions()
    ) throws -> Double {
        let (ours, size) = try storedLuma(of: bytes, points, options)
        let header = try JPEGHeader(parsing: bytes.span)
        let reference = ReferenceResampler.resample(
            try fullLuma(of: bytes), width: header.size.width,
            horizontal: .whole(header.size.width, to: size.width),
            vertical: .whole(header.size.height, to: size.height))
        return psnr(ours, reference)
    }

    /// In decibels, of 8-bit samples.
    private func psnr(_ ours: [UInt8], _ reference: [Double]) -> Double {
        let error = zip(ours, reference).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - min(255, max(0, pair.1))
            return sum + difference * difference
        }
        return 10 * log10(255 * 255 * Double(ours.count) / max(error, 1e-9))
    }

    /// Chroma of every sampling, at its own resolution, ends where the picture ends.
    @Test(arguments: [
        ("landscape-420.jpg", "75x75"), ("portrait-422.jpg", "75x75"), ("square-444.jpg", "59x59"),
        ("landscape-progressive.jpg", "53x53"), ("sampling-422.jpg", "13x13"), ("sampling-440.jpg", "13x13"),
        ("sampling-411.jpg", "13x13"), ("sampling-410.jpg", "13x13"), ("sampling-422-as-221212.jpg", "13x13"),
    ])
    func `chroma agrees with the reference`(name: String, points: String) throws {
        let bytes = Fixture.bytes(name)
        for component in 1...2 {
            let found = try chromaPSNR(bytes, points, component)
            #expect(found >= 40, "\(name) component \(component) at \(points): \(found) dB")
        }
    }

    @Test(arguments: [
        "mdx-Panasonic_DMC-LC40.jpg", "mdx-Minolta_DiMAGE_EX.jpg", "mdx-Olympus_PEN_E-P3.jpg",
        "nuke-image-p3.jpg", "mdx-Kodak_DX4330.jpg",
    ])
    func `chroma of photographs agrees with the reference`(name: String) throws {
        guard let corpus = Corpus() else { return }
        let bytes = try #require(corpus.bytes("photos/" + name))
        for component in 1...2 {
            let found = try chromaPSNR(bytes, "240x240", component)
            print("golden chroma \(component): \(name) \((found * 10).rounded() / 10) dB")
            #expect(found >= Self.leastPSNR, "\(name) component \(component): \(found) dB")
        }
    }

    private func chromaPSNR(_ bytes: [UInt8], _ points: String, _ component: Int) throws -> Double {
        let (planes, size) = try storedPlanes(of: bytes, points)
        let header = try JPEGHeader(parsing: bytes.span)
        let (h, v) = (header.components[component].h, header.components[component].v)
        let reference = ReferenceResampler.resample(
            try fullPlane(component, of: bytes),
            width: try JPEGDecoder(header, scale: .full).planes[component].samples.width,
            horizontal: .init(
                sourceExtent: Double(header.size.width * h) / Double(header.maximumH),
                targetExtent: Double(size.width) / 2, targetCount: (size.width + 1) / 2),
            vertical: .init(
                sourceExtent: Double(header.size.height * v) / Double(header.maximumV),
                targetExtent: Double(size.height) / 2, targetCount: (size.height + 1) / 2))
        return psnr(planes[component], reference)
    }
}

private func fullLuma(of bytes: [UInt8]) throws -> [Double] { try fullPlane(0, of: bytes) }

/// One component at full size.
private func fullPlane(_ wanted: Int, of bytes: [UInt8]) throws -> [Double] {
    let header = try JPEGHeader(parsing: bytes.span)
    let decoder = try JPEGDecoder(header, scale: .full)
    var full: [Double] = []
    _ = try decoder.decodePlanes(bytes.span, memoryLimit: header.decoderBytes(at: .full)) {
        component, _, row in
        if component == wanted { for index in row.indices { full.append(Double(row[index])) } }
        return .more
    }
    return full
}

/// The luma of the first output, as `storedPlanes`.
private func storedLuma(
    of bytes: [UInt8], _ points: String, _ options: RenderOptions = RenderOptions()
) throws -> ([UInt8], PixelSize) {
    let (planes, size) = try storedPlanes(of: bytes, points, options)
    return (planes[0], size)
}

/// The planes of the first output as they go to the encoder, of the picture as it is stored.
private func storedPlanes(
    of bytes: [UInt8], _ points: String, _ options: RenderOptions = RenderOptions()
) throws -> ([[UInt8]], PixelSize) {
    let found = try InspectedPicture(inspecting: bytes.span)
    let untagged = InspectedPicture(
        picture: found.picture, format: found.format, orientation: ExifOrientation.find(exif: nil, xmp: nil))
    let request = try plan(bytes, points, options: options).request
    let planned = try RenderPlan(untagged, request, fileBytes: bytes.count, within: .max)
    switch try planned.paint(bytes.span, within: .max).canvases[0].finish() {
    case .grey(let size, let luma): return ([luma.copied()], size)
    case .colour(let size, let luma, let blue, let red):
        return ([luma.copied(), blue.copied(), red.copied()], size)
    }
}

extension Plane {
    func copied() -> [UInt8] {
        let samples = samples
        return samples.indices.map { samples[$0] }
    }
}
