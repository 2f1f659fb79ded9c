import Geometry

/// Decodes lossless JPEG (SOF3, Huffman, 2 to 8 bits), which libjpeg-turbo 2.1.5 cannot.
///
/// Each sample is stored as its difference from a prediction by its neighbours: left, above,
/// above left. Two rows a component are enough to decode. Source: ITU-T T.81, annex H.
struct LosslessDecoder {
    private let header: JPEGHeader
    private let scan: LosslessScan

    init(_ header: JPEGHeader, _ bytes: Span<UInt8>) throws(JPEGError) {
        self.header = header
        scan = try LosslessScan(header, bytes)
        // The standard lets a restart stand within a row, but no encoder writes it and no decoder
        // reads it: prediction starts anew as at the top of the picture.
        guard header.restartInterval % header.size.width == 0 else {
            throw .unsupported(.losslessLayout)
        }
    }

    func decode(
        _ bytes: Span<UInt8>, _ layout: DecodeLayout, _ settings: DecodeSettings,
        shouldStop: () -> Bool, row: JPEGDecoder.Row
    ) throws(JPEGError) -> DecodeOutcome {
        let needed = header.stripBytes(at: .full)
        guard needed <= settings.memoryLimit else { throw .memoryLimit(limit: settings.memoryLimit) }
        let width = header.size.width
        let height = header.size.height
        var rows = [[UInt16]](repeating: [UInt16](repeating: 0, count: width), count: scan.components.count)
        var above = rows
        var output = LosslessRow(header, scan, layout)
        var reader = EntropyReader(position: scan.dataStart)
        var condition = DecodeOutcome.Condition.complete
        var rowsLeftOfInterval = header.restartInterval / width
        var startsAnew = true
        picture: for y in 0..<height {
            if shouldStop() { throw .stopped }
            if header.restartInterval > 0, rowsLeftOfInterval == 0 {
                reader.restart(in: bytes)
                rowsLeftOfInterval = header.restartInterval / width
                startsAnew = true
            }
            rowsLeftOfInterval -= 1
            swap(&rows, &above)
            decodeRow(&rows, above, startsAnew: startsAnew, &reader, bytes)
            startsAnew = false
            if condition == .complete, let fault = reader.fault {
                condition =
                    fault == .ended ? .truncated(rowsGood: y, of: height) : .damaged(rowsGood: y, of: height)
                if settings.onDamage == .stop { break picture }
            }
            for plane in 0..<output.count where output.deliver(plane, y, rows, row) == .enough {
                break picture
            }
        }
        return DecodeOutcome(condition: condition, notes: [], scans: 1, allocatedBytes: needed)
    }

    private func decodeRow(
        _ rows: inout [[UInt16]], _ above: [[UInt16]], startsAnew: Bool, _ reader: inout EntropyReader,
        _ bytes: Span<UInt8>
    ) {
        let predictor = startsAnew ? 1 : scan.predictor
        let middle = UInt16(1) << UInt16(header.precision - scan.pointTransform - 1)
        for x in 0..<header.size.width {
            for (index, component) in scan.components.enumerated() {
                let difference = reader.difference(scan.tables[component.table], in: bytes)
                let prediction =
                    if x == 0 {
                        startsAnew ? middle : above[index][0]
                    } else {
                        predict(
                            predictor, left: rows[index][x - 1], above: above[index][x],
                            aboveLeft: above[index][x - 1])
                    }
                rows[index][x] = prediction &+ difference
            }
        }
    }

    /// Table H.1 of the standard; modulo 2^16 as it says.
    private func predict(_ predictor: Int, left: UInt16, above: UInt16, aboveLeft: UInt16) -> UInt16 {
        let (a, b, c) = (Int(left), Int(above), Int(aboveLeft))
        let value =
            switch predictor {
            case 1: a
            case 2: b
            case 3: c
            case 4: a + b - c
            case 5: a + (b - c) >> 1
            case 6: b + (a - c) >> 1
            default: (a + b) >> 1
            }
        return UInt16(truncatingIfNeeded: value)
    }
}

/// The one scan of a lossless file: its tables and parameters.
struct LosslessScan {
    struct Component {
        /// Index into the frame's components.
        let index: Int
        /// Which Huffman table, 0…3.
        let table: Int
    }

    let components: [Component]
    /// 0…3; a table that the file does not define decodes nothing.
    private(set) var tables = [HuffmanTable](repeating: HuffmanTable.empty, count: 4)
    /// 1…7.
    let predictor: Int
    /// Low bits that the encoder dropped.
    let pointTransform: Int
    let dataStart: Int

    init(_ header: JPEGHeader, _ bytes: Span<UInt8>) throws(JPEGError) {
        // The header may have been read at another time than the file: look again.
        let start = header.firstScan
        guard start + 5 <= bytes.count, start + 2 + bytes.uint16(at: start + 2) <= bytes.count else {
            throw .truncatedHeader(length: bytes.count)
        }
        let count = Int(bytes[start + 4])
        guard count == header.components.count, bytes.uint16(at: start + 2) == 6 + 2 * count else {
            throw .malformed(.scanComponents(offset: start))
        }
        var components: [Component] = []
        for number in 0..<count {
            let id = bytes[start + 5 + 2 * number]
            let taken = components.map(\.index)
            guard
                let index = header.components.indices.first(where: {
                    header.components[$0].id == id && !taken.contains($0)
                })
            else { throw .malformed(.scanComponents(offset: start)) }
            let table = Int(bytes[start + 6 + 2 * number] >> 4)
            guard table < 4 else { throw .malformed(.huffmanTable(offset: start)) }
            components.append(Component(index: index, table: table))
        }
        self.components = components
        let parameters = start + 5 + 2 * count
        predictor = Int(bytes[parameters])
        pointTransform = Int(bytes[parameters + 2] & 15)
        dataStart = parameters + 3
        guard (1...7).contains(predictor), pointTransform < header.precision else {
            throw .malformed(.scanParameters(offset: start))
        }
        try readTables(bytes, until: start)
    }

    private mutating func readTables(_ bytes: Span<UInt8>, until end: Int) throws(JPEGError) {
        var position = 2
        while position + 3 < end {
            let marker = bytes[position + 1]
            guard bytes[position] == 0xFF, marker != 0xFF, marker != 0, marker != 1, marker & 0xF8 != 0xD0
            else {
                position += 1
                continue
            }
            let segmentEnd = min(end, position + 2 + max(2, bytes.uint16(at: position + 2)))
            if marker == 0xC4 {
                var next = position + 4
                while next < segmentEnd {
                    let slot = Int(bytes[next] & 15)
                    guard slot < 4, let table = HuffmanTable(bytes, at: next + 1, before: segmentEnd) else {
                        throw .malformed(.huffmanTable(offset: next))
                    }
                    // The upper half of the number tells AC tables, which lossless files do not use.
                    if bytes[next] >> 4 == 0 { tables[slot] = table }
                    next += 17 + table.symbolCount
                }
            }
            position = segmentEnd
        }
    }
}
