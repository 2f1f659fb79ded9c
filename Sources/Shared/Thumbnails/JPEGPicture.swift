internal import Geometry
internal import JPEG
internal import Pixels

/// JPEG behind the decoders' seam: two decoders, of which the second has the last word.
struct JPEGPicture: SourcePicture {
    let header: JPEGHeader
    let colour: SourceColour

    /// - Throws: what this decoder cannot decode, by its name.
    init(_ header: JPEGHeader) throws(PictureError) {
        do throws(JPEGError) { try header.checkDecodable() } catch { throw PictureError(error) }
        self.header = header
        colour =
            switch header.colour {
            case .grey: .grey
            case .yCbCr: .yCbCr
            case .rgb: .rgb
            case .cmyk: .cmyk(header.hasAdobeMarker ? .inverted : .plain)
            case .ycck: .ycck(header.hasAdobeMarker ? .inverted : .plain)
            case .unknown:
                preconditionFailure(
                    "only two and more than four components have no colours; both are refused")
            }
    }

    var size: PixelSize { header.size }
    var notes: Set<String> { Set(header.notes.map(\.rawValue)) }

    func check(fileBytes: Int) throws(PictureError) {
        // A file of 258 bytes can claim a picture whose coefficients take 2.4 GB. A block costs at least
        // one bit in the first scan of its component, so a file that cannot hold these has no picture.
        // Single-scan files spend little memory on what they claim; they are decoded and found truncated. And
        // an arithmetic coder spends less than a bit on what it foresees, so there a small file may be honest.
        guard header.isMultiScan, !header.process.isArithmetic else { return }
        let blocks = header.components.reduce(0) { sum, component in
            let across = (header.size.width * component.h + 8 * header.maximumH - 1) / (8 * header.maximumH)
            let down = (header.size.height * component.v + 8 * header.maximumV - 1) / (8 * header.maximumV)
            return sum + across * down
        }
        // The first scan may hold one component only, so a third (or a quarter) is what can be asked for.
        let needed = blocks / header.components.count / 8
        let available = fileBytes - header.firstScan
        guard available >= needed else {
            throw .refused(
                .claimsMoreThanFileHolds(size: header.size, needed: needed, found: max(0, available)))
        }
    }

    func decoders(for request: DecodeRequest) -> [any SourceDecoder] {
        let scaled: [any SourceDecoder] = ScaledSource(header, request).map { [$0] } ?? []
        return scaled + [LibJPEGSource(header, request)]
    }

    var profileBytes: Int { passesProfileOn ? header.profileBytes : 0 }

    func colourProfile(in bytes: Span<UInt8>) -> (profile: [UInt8]?, note: String?) {
        guard !header.iccChunks.isEmpty else { return (nil, nil) }
        guard passesProfileOn else { return (nil, JPEGHeader.Note.inkProfileDropped.rawValue) }
        guard let profile = ICCProfile.assemble(header, in: bytes) else {
            return (nil, JPEGHeader.Note.brokenICCProfileDropped.rawValue)
        }
        return (profile, nil)
    }

    /// A profile of inks would give the thumbnail's red, green and blue a wrong meaning.
    private var passesProfileOn: Bool {
        switch colour {
        case .cmyk, .ycck: false
        case .grey, .yCbCr, .rgb: true
        }
    }
}
