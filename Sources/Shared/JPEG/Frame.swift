import Geometry

/// What a frame header (SOF) says.
struct Frame: Sendable {
    let process: CodingProcess
    let precision: Int
    let size: PixelSize
    let components: [JPEGHeader.Component]

    /// - Parameter view: the payload, or at least its first bytes up to the last component.
    init(marker: UInt8, _ view: Span<UInt8>, payloadCount: Int, offset: Int) throws(JPEGError) {
        guard let process = CodingProcess(startOfFrame: marker) else {
            throw .malformed(.unknownMarker(marker: marker, offset: offset))
        }
        guard payloadCount >= 6, view.count >= 6 else {
            throw .malformed(.segmentLength(marker: marker, offset: offset))
        }
        let height = view.uint16(at: 1)
        let width = view.uint16(at: 3)
        let count = Int(view[5])
        guard width > 0, count > 0 else { throw .malformed(.emptyPicture) }
        guard height > 0 else { throw .unsupported(.heightAfterScan) }
        guard payloadCount == 6 + 3 * count, view.count >= payloadCount else {
            throw .malformed(.segmentLength(marker: marker, offset: offset))
        }
        self.process = process
        precision = Int(view[0])
        size = PixelSize(width: width, height: height)
        var components: [JPEGHeader.Component] = []
        for index in 0..<count {
            let factors = view[7 + 3 * index]
            components.append(
                JPEGHeader.Component(id: view[6 + 3 * index], h: Int(factors >> 4), v: Int(factors & 15)))
        }
        self.components = components
    }

    /// The colours as libjpeg-turbo decides them: JFIF beats Adobe, Adobe beats the component ids.
    func colour(
        sawJFIF: Bool, adobeTransform: UInt8?
    ) -> (model: JPEGHeader.ColourModel, isGuess: Bool) {
        switch (components.count, adobeTransform) {
        case (1, _): (.grey, false)
        case (3, _) where sawJFIF: (.yCbCr, false)
        case (3, nil): (colourByIDs, false)
        case (3, 0): (.rgb, false)
        case (3, 1): (.yCbCr, false)
        case (3, _): (.yCbCr, true)
        case (4, nil), (4, 0): (.cmyk, false)
        case (4, 2): (.ycck, false)
        case (4, _): (.ycck, true)
        default: (.unknown, false)
        }
    }

    private var colourByIDs: JPEGHeader.ColourModel {
        // Lossless files have no reason to convert their colours: without a marker that says
        // otherwise libjpeg-turbo 3 takes them for RGB, whatever their ids.
        if process.kind == .lossless { return .rgb }
        return components.map(\.id) == Array("RGB".utf8) ? .rgb : .yCbCr
    }
}

extension CodingProcess {
    var isSequentialDCT: Bool { kind == .baseline || kind == .extended }
}
