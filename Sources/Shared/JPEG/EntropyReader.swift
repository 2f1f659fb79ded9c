/// Reads Huffman-coded differences from the entropy-coded bytes of a scan.
///
/// Past a marker or the end of the file it reads zeros and remembers the fault.
struct EntropyReader {
    enum Fault { case ended, corrupt }

    private(set) var fault: Fault?
    private var position: Int
    private var bits: UInt64 = 0
    private var bitCount = 0
    private var nextRestart: UInt8 = 0xD0

    init(position: Int) { self.position = position }

    /// A difference in two's complement, modulo 2^16.
    mutating func difference(_ table: HuffmanTable, in bytes: Span<UInt8>) -> UInt16 {
        fill(in: bytes)
        guard let (symbol, length) = table.symbol(at: UInt16(truncatingIfNeeded: peek(16))) else {
            note(.corrupt)
            return 0
        }
        drop(length)
        if symbol == 0 { return 0 }
        if symbol >= 16 { return 32768 }
        let value = Int(peek(symbol))
        drop(symbol)
        return UInt16(truncatingIfNeeded: value < 1 << (symbol - 1) ? value - (1 << symbol) + 1 : value)
    }

    /// Passes over the rest of the interval and the restart marker, which must be the next in turn.
    mutating func restart(in bytes: Span<UInt8>) {
        bits = 0
        bitCount = 0
        // Back to the marker: the reader may have stopped at it, or before it.
        while position + 1 < bytes.count {
            if bytes[position] == 0xFF, bytes[position + 1] != 0, bytes[position + 1] != 0xFF { break }
            position += 1
        }
        guard position + 1 < bytes.count, bytes[position + 1] != 0xD9 else { return note(.ended) }
        if bytes[position + 1] == nextRestart { position += 2 } else { note(.corrupt) }
        nextRestart = 0xD0 | (nextRestart + 1) & 7
    }

    /// Tops up to at least the 31 bits that a code and its difference can take.
    private mutating func fill(in bytes: Span<UInt8>) {
        while bitCount <= 48 {
            var byte: UInt8 = 0
            if position < bytes.count, bytes[position] != 0xFF {
                byte = bytes[position]
                position += 1
            } else if position + 1 < bytes.count, bytes[position + 1] == 0 {
                byte = 0xFF
                position += 2
            } else {
                markerIsEnd = position + 1 >= bytes.count || bytes[position + 1] == 0xD9
                return
            }
            bits |= UInt64(byte) << UInt64(56 - bitCount)
            bitCount += 8
        }
    }

    private var markerIsEnd = false

    private func peek(_ count: Int) -> UInt64 { bits >> UInt64(64 - count) }

    private mutating func drop(_ count: Int) {
        // Zeros that stand for missing bytes are only a fault once they are used.
        if count > bitCount { note(markerIsEnd ? .ended : .corrupt) }
        bits <<= UInt64(count)
        bitCount = max(0, bitCount - count)
    }

    private mutating func note(_ new: Fault) {
        if fault == nil { fault = new }
    }
}

/// A canonical Huffman code, as a DHT segment defines it.
struct HuffmanTable {
    static let empty = HuffmanTable()

    var symbolCount: Int { symbols.count }
    private var symbols: [UInt8] = []
    /// Per length 1…16: the first 16-bit prefix above its codes, and how far a code's number is
    /// from its symbol's place.
    private var limits = [Int](repeating: 0, count: 17)
    private var offsets = [Int](repeating: 0, count: 17)

    private init() {}

    /// Nil when the bytes at `start` are no code: too long for the segment, or more codes than
    /// their lengths allow.
    init?(_ bytes: Span<UInt8>, at start: Int, before end: Int) {
        guard start + 16 <= end else { return nil }
        var code = 0
        for length in 1...16 {
            let count = Int(bytes[start + length - 1])
            offsets[length] = symbols.count - code
            guard start + 16 + symbols.count + count <= end, code + count <= 1 << length else { return nil }
            for _ in 0..<count { symbols.append(bytes[start + 16 + symbols.count]) }
            code += count
            limits[length] = code << (16 - length)
            code <<= 1
        }
    }

    /// The symbol whose code begins the 16 bits, and the code's length; nil when none does.
    func symbol(at prefix: UInt16) -> (symbol: Int, length: Int)? {
        for length in 1...16 where Int(prefix) < limits[length] {
            let place = Int(prefix) >> (16 - length) + offsets[length]
            guard symbols.indices.contains(place) else { return nil }
            return (Int(symbols[place]), length)
        }
        return nil
    }
}
