// Upper bounds of what a decode allocates, from the header alone. They follow libjpeg-turbo
// 2.1.5's allocations one by one; a test compares them with what the decoder counted.

public import Geometry

extension JPEGHeader {
    /// Every coefficient of a multi-scan file, whatever the scale; 0 for the others.
    ///
    /// Measured: 12.19 MP 4:2:0 progressive takes 35.8 MiB; this says 34.9 MiB plus row pointers.
    public var coefficientBytes: Int {
        guard isMultiScan, process.kind != .lossless else { return 0 }
        return components.reduce(0) { sum, component in
            let blocks = blocks(of: component)
            return sum + blocks.height * (blocks.width * Self.blockBytes + Self.rowPointerBytes)
                + Self.allocationBytes
        }
    }

    /// What the decoder holds beside the coefficients while it delivers planes: one row of MCUs,
    /// libjpeg's tables and state.
    public func stripBytes(at scale: DecodeScale) -> Int {
        guard process.kind != .lossless else { return losslessBytes }
        let strip = components.reduce(0) { sum, component in
            let block = blockSamples(of: component, at: scale)
            return sum + blocks(of: component).width * block * component.v * block
        }
        return strip + Self.fixedBytes
    }

    /// The same while it delivers interleaved pixels, which needs libjpeg's upsampler.
    public func pixelStripBytes(at scale: DecodeScale) -> Int {
        guard process.kind != .lossless else { return losslessBytes }
        let width = pixels(at: scale).samples.width
        let workspace = components.reduce(0) { sum, component in
            let block = blockSamples(of: component, at: scale)
            // Two more row groups than a strip has, for the context of fancy upsampling, each row
            // with the allocator's rounding; and three lists of pointers to them.
            let rows = component.v * block * (scale.eighths + 2) / scale.eighths + component.v
            let rowBytes = blocks(of: component).width * block + Self.allocationBytes
            return sum + rows * (rowBytes + 4 * Self.rowPointerBytes)
                + maximumV * (width + maximumH + Self.allocationBytes + Self.rowPointerBytes)
        }
        return workspace + Self.pixelRows * width * components.count + Self.fixedBytes
    }

    /// All that a decode of planes allocates at most. Hand it to the decoder as its limit: then a
    /// wrong estimate is a clean `.memoryLimit`, and never an overrun.
    public func decoderBytes(at scale: DecodeScale) -> Int { coefficientBytes + stripBytes(at: scale) }

    /// All that a decode of interleaved pixels allocates at most.
    public func pixelDecoderBytes(at scale: DecodeScale) -> Int {
        coefficientBytes + pixelStripBytes(at: scale)
    }

    /// Blocks of a component, rounded up to whole MCUs as libjpeg stores them.
    private func blocks(of component: Component) -> (width: Int, height: Int) {
        func rounded(_ side: Int, _ factor: Int, _ maximum: Int) -> Int {
            let blocks = (side * factor + maximum * 8 - 1) / (maximum * 8)
            return (blocks + factor - 1) / factor * factor
        }
        return (
            rounded(size.width, component.h, maximumH), rounded(size.height, component.v, maximumV)
        )
    }

    /// Two rows of samples a component, the interleaved row, and the tables.
    private var losslessBytes: Int { size.width * components.count * 4 + Self.fixedBytes }

    private static let blockBytes = 128
    private static let rowPointerBytes = 8
    /// What the decoder adds to each allocation for malloc's and libjpeg's own headers.
    private static let allocationBytes = 64
    /// Rows of interleaved pixels that the decoder fetches at a time.
    private static let pixelRows = 16
    /// libjpeg's state, quantiser, Huffman and range tables and pools; measured 18 to 30 KiB.
    private static let fixedBytes = 64 << 10
}
