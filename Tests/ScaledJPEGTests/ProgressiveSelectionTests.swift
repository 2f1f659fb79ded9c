@testable import ScaledJPEG
import TestSupport
import Testing

/// Which scans of a progressive file are read.
struct ProgressiveSelectionTests {
    @Test func `at 1/8 only DC scans are read`() throws {
        let (script, frame) = try (usual().script, usual().frame)
        let selection = ScanSelection(script, at: ComponentScales(1, of: frame), unread: [0, 0, 0])
        #expect(selection.uses.map { $0 != nil } == script.scans.map(\.header.isDC))
        #expect(selection.remembering.isEmpty)
    }

    @Test func `of chroma at half of 1/4 only DC scans are read`() throws {
        let file = try usual()
        let scales = ComponentScales(2, of: file.frame, chroma: .halved)
        let selection = ScanSelection(file.script, at: scales, unread: [0, 0, 0])
        let expected = file.script.scans.map { $0.header.isDC || $0.header.components[0].index == 0 }
        #expect(selection.uses.map { $0 != nil } == expected)
        #expect(selection.remembering == [0])
    }

    @Test func `a refinement that is read needs every scan of its band before it`() throws {
        let file = try usual()
        let selection = ScanSelection(
            file.script, at: ComponentScales(2, of: file.frame), unread: [0, 2, 2])
        let read = selection.uses.map { $0 != nil }
        #expect(selection.remembering == [0])
        // Of luma, and of chroma but the first scans.
        #expect(read == [true, true, true, true, true, true, true, false, false, true])
        // Luma's, until the last.
        #expect(selection.uses.map { $0?.recordsHistory == true }.indices(of: true) == [1, 4, 5])
    }

    @Test func `without refinements scans above the kept coefficients are passed over`() throws {
        let file = try usual()
        let selection = ScanSelection(
            file.script, at: ComponentScales(2, of: file.frame), unread: [2, 2, 2])
        #expect(selection.uses.indices(of: nil) == [4, 5, 7, 8, 9])
        #expect(selection.remembering.isEmpty)
        #expect(selection.leftOut.map { $0[0] } == [0, 0, 0])
        #expect(selection.leftOut.map { $0[1] } == [2, 1, 1])
    }

    @Test func `a smooth picture of fine quantisers loses a bit at 1/4, a detailed one two`() throws {
        for (emptiness, bits) in [(100, 1), (50, 2)] {
            let file = try usual(emptiness: emptiness, coarseness: 4)
            #expect(unread(file, eighths: 2)[0] == bits)
        }
    }

    @Test func `with the finest quantisers any picture loses two bits at 1/4`() throws {
        let file = try usual(emptiness: 100, coarseness: 1)
        #expect(unread(file, eighths: 2) == [2, 2, 2])
    }

    @Test func `chroma that is halved one way only may have quantisers whose squares are twice as large`()
        throws
    {
        var differences = 0
        for coarseness in 4...16 {
            let file = try usual(emptiness: 100, coarseness: coarseness, luma: (h: 2, v: 1))
            let divisors = file.script.quantisation[1].divisors
            let squares = [1, 2, 4].reduce(0) { $0 + Int(divisors[$1]) * Int(divisors[$1]) }
            guard 49...96 ~= squares else { continue }
            differences += 1
            for (luma, bits) in [((h: 2, v: 1), 1), ((h: 1, v: 2), 1), ((h: 2, v: 2), 0), ((h: 1, v: 1), 0)] {
                let file = try usual(emptiness: 100, coarseness: coarseness, luma: luma)
                #expect(unread(file, eighths: 2)[1] == bits)
            }
        }
        #expect(differences > 0)
    }

    @Test func `coarse quantisers lose nothing, and no picture does at 3/8 and 1/2`() throws {
        let coarse = try usual(coarseness: 1000)
        #expect(unread(coarse, eighths: 2) == [0, 0, 0])
        let fine = try usual(coarseness: 1)
        for k in 3...4 { #expect(unread(fine, eighths: k) == [0, 0, 0]) }
    }

    @Test func `scripts that send bits twice, out of order or not at all are declined`() throws {
        let whole = Self.usualScans
        for number in whole.indices where whole[number].band.lowerBound < 10 {
            try expectDeclined(Array(whole[..<number] + whole[(number + 1)...]))
            try expectDeclined(Array(whole[...number] + whole[number...]))
        }
        // AC before DC.
        try expectDeclined([whole[1], whole[0]] + whole[2...])
        // The same, with DC of another component.
        var alone = whole[0]
        alone.components = [1, 2]
        var late = whole[0]
        late.components = [0]
        try expectDeclined([alone, whole[1], late] + whole[2...])
    }

    /// What libjpeg's tools write.
    private static let usualScans: [ProgressivePlainEncoder.Scan] = [
        .init(components: [0, 1, 2], band: 0...0, highBit: nil, lowBit: 1),
        .init(components: [0], band: 1...5, highBit: nil, lowBit: 2),
        .init(components: [2], band: 1...63, highBit: nil, lowBit: 1),
        .init(components: [1], band: 1...63, highBit: nil, lowBit: 1),
        .init(components: [0], band: 6...63, highBit: nil, lowBit: 2),
        .init(components: [0], band: 1...63, highBit: 2, lowBit: 1),
        .init(components: [0, 1, 2], band: 0...0, highBit: 1, lowBit: 0),
        .init(components: [2], band: 1...63, highBit: 1, lowBit: 0),
        .init(components: [1], band: 1...63, highBit: 1, lowBit: 0),
        .init(components: [0], band: 1...63, highBit: 1, lowBit: 0),
    ]

    private func usual(
        emptiness: Int = 50, coarseness: Int = 1, luma: (h: Int, v: Int) = (h: 1, v: 1)
    ) throws -> (script: ProgressiveScript, frame: FrameHeader) {
        var encoder = ProgressivePlainEncoder(random: 1)
        (encoder.width, encoder.height) = (64, 64)
        encoder.sampling = [luma, (h: 1, v: 1), (h: 1, v: 1)]
        (encoder.emptiness, encoder.coarseness, encoder.longestRun) = (emptiness, coarseness, 0x7FFF)
        encoder.scans = Self.usualScans
        let bytes = try encoder.file().bytes
        var segments = try SegmentReader(bytes.span)
        let first = try #require(try segments.nextScan(in: bytes.span))
        let frame = try #require(segments.frame)
        let script = try ProgressiveScript(
            bytes.span, frame, from: first, segments, shouldStop: { false })
        return (script, frame)
    }

    private func unread(
        _ file: (script: ProgressiveScript, frame: FrameHeader), eighths k: Int
    ) -> [Int] {
        UnreadBits.counts(file.script, file.frame, at: ComponentScales(k, of: file.frame))
    }

    private func expectDeclined(_ scans: [ProgressivePlainEncoder.Scan]) throws {
        var encoder = ProgressivePlainEncoder(random: 1)
        encoder.sampling = [(h: 1, v: 1), (h: 1, v: 1), (h: 1, v: 1)]
        encoder.scans = scans
        let bytes = try encoder.file().bytes
        #expect(throws: Declined.unusual(.script)) { try progressive(bytes, eighths: 1) }
    }
}

extension Array where Element: Equatable {
    fileprivate func indices(of element: Element) -> [Int] { indices.filter { self[$0] == element } }
}
