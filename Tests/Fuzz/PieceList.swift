/// A file taken apart where its markers are, so that one piece can be changed and the whole still be read.
struct PieceList {
    var pieces: [Piece] = []
    /// What cannot be taken apart.
    private var rest: ArraySlice<UInt8> = []

    /// A marker and what belongs to it.
    struct Piece {
        var marker: UInt8
        /// Behind the length; nil for markers that have none.
        var payload: [UInt8]?
        /// Entropy-coded bytes behind a scan header, without stuffing: one a restart interval.
        var intervals: [[UInt8]] = []
    }

    init(_ file: [UInt8]) {
        var position = 0
        while position + 1 < file.count, file[position] == 0xFF {
            let marker = file[position + 1]
            guard marker >= 0xC0, marker < 0xFF else { break }
            position += 2
            var piece = Piece(marker: marker)
            if !(0xD0...0xD9 ~= marker) {
                guard position + 1 < file.count else { break }
                let length = Int(file[position]) << 8 | Int(file[position + 1])
                let end = min(file.count, position + max(2, length))
                piece.payload = Array(file[position + 2..<end])
                position = end
            }
            if marker == 0xDA { piece.intervals = Self.intervals(file, &position) }
            pieces.append(piece)
        }
        rest = file[position...]
    }

    /// The file again, lengths, stuffing and the numbers of restart markers put right.
    var file: [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces {
            bytes += [0xFF, piece.marker]
            if let payload = piece.payload {
                let length = min(payload.count + 2, 0xFFFF)
                bytes += [UInt8(length >> 8), UInt8(length & 255)] + payload.prefix(length - 2)
            }
            for (number, interval) in piece.intervals.enumerated() {
                if number > 0 { bytes += [0xFF, 0xD0 + UInt8((number - 1) % 8)] }
                for byte in interval {
                    bytes.append(byte)
                    if byte == 0xFF { bytes.append(0) }
                }
            }
        }
        return bytes + rest
    }

    /// Where pieces with one of the markers are.
    func indices(of markers: ClosedRange<UInt8>) -> [Int] {
        pieces.indices.filter { markers ~= pieces[$0].marker }
    }

    private static func intervals(_ file: [UInt8], _ position: inout Int) -> [[UInt8]] {
        var intervals: [[UInt8]] = [[]]
        while position < file.count {
            let byte = file[position]
            let next = position + 1 < file.count ? file[position + 1] : 0xFF
            switch (byte, next) {
            case (0xFF, 0xD0...0xD7): intervals.append([])
            case (0xFF, 0): intervals[intervals.count - 1].append(byte)
            case (0xFF, _): return intervals
            default:
                intervals[intervals.count - 1].append(byte)
                position += 1
                continue
            }
            position += 2
        }
        return intervals
    }
}
