import Geometry

/// Turns decoded lossless samples into rows of bytes: one a component, or one of pixels.
struct LosslessRow {
    /// Rows to deliver for each row of the picture.
    let count: Int

    private let width: Int
    /// Scan position of each component of the frame.
    private let places: [Int]
    private let layout: DecodeLayout
    private let convertsToRGB: Bool
    private let largest: Int
    private let pointTransform: Int
    private var samples: [UInt8]

    init(_ header: JPEGHeader, _ scan: LosslessScan, _ layout: DecodeLayout) {
        width = header.size.width
        let components = header.components.count
        count = layout == .planes ? components : 1
        places = (0..<components).map { index in
            // A lossless file that is not multi-scan has every component in its scan.
            scan.components.firstIndex { $0.index == index } ?? 0
        }
        self.layout = layout
        convertsToRGB = header.colour == .yCbCr || header.colour == .ycck
        largest = (1 << header.precision) - 1
        pointTransform = scan.pointTransform
        samples = [UInt8](repeating: 0, count: width * (layout == .planes ? 1 : components))
    }

    mutating func deliver(_ plane: Int, _ y: Int, _ rows: [[UInt16]], _ row: JPEGDecoder.Row) -> RowAnswer {
        switch layout {
        case .planes:
            for x in 0..<width { samples[x] = byte(rows[places[plane]][x]) }
        case .pixels:
            for (channel, place) in places.enumerated() {
                for x in 0..<width { samples[x * places.count + channel] = byte(rows[place][x]) }
            }
            if convertsToRGB { convertToRGB() }
        }
        return row(plane, y, samples.span)
    }

    /// Undoes the point transform, and stretches fewer than 8 bits to the whole range.
    private func byte(_ sample: UInt16) -> UInt8 {
        let value = min(largest, Int(sample) << pointTransform)
        return UInt8(largest == 255 ? value : (value * 255 + largest / 2) / largest)
    }

    /// JFIF's equations; of YCCK they make CMY inverted, as libjpeg does.
    private mutating func convertToRGB() {
        let channels = places.count
        for x in 0..<width {
            let pixel = x * channels
            let luma = Double(samples[pixel])
            let blue = Double(samples[pixel + 1]) - 128
            let red = Double(samples[pixel + 2]) - 128
            store(luma + 1.402 * red, at: pixel)
            store(luma - 0.344136 * blue - 0.714136 * red, at: pixel + 1)
            store(luma + 1.772 * blue, at: pixel + 2)
        }
    }

    private mutating func store(_ value: Double, at index: Int) {
        let byte = UInt8(max(0, min(255, value + 0.5)))
        samples[index] = places.count == 4 ? 255 - byte : byte
    }
}
