/// Divisors of the 64 coefficients, in zig-zag order as the file has them; each 1…65535.
struct QuantisationTable: Equatable {
    let divisors: [UInt16]
}

/// A Huffman code as a DHT segment defines it: sound, which its lookup tables rely on.
struct HuffmanCode: Equatable {
    /// Codes of each length, 1…16 at index 0…15.
    let counts: [UInt8]
    /// Ordered by code; as many as the counts add up to, at most 256.
    let symbols: [UInt8]
}

/// The tables in force at some place of a file, four of each kind.
struct Tables: Equatable {
    var quantisation = [QuantisationTable?](repeating: nil, count: 4)
    var dc = [HuffmanCode?](repeating: nil, count: 4)
    var ac = [HuffmanCode?](repeating: nil, count: 4)

    /// Takes a DQT segment.
    mutating func takeQuantisation(_ payload: Span<UInt8>, offset: Int) throws(Declined) {
        let fault = Declined.suspect(.table, offset: offset)
        var position = 0
        while position < payload.count {
            let (isWide, slot) = (payload[position] >> 4, Int(payload[position] & 15))
            let size = isWide == 0 ? 1 : 2
            guard isWide <= 1, slot < 4, position + 1 + 64 * size <= payload.count else { throw fault }
            var divisors: [UInt16] = []
            for index in 0..<64 {
                let at = position + 1 + size * index
                divisors.append(UInt16(isWide == 0 ? Int(payload[at]) : payload.bigEndian16(at: at)))
            }
            guard !divisors.contains(0) else { throw fault }
            quantisation[slot] = QuantisationTable(divisors: divisors)
            position += 1 + 64 * size
        }
    }

    /// Takes a DHT segment.
    mutating func takeHuffman(_ payload: Span<UInt8>, offset: Int) throws(Declined) {
        let fault = Declined.suspect(.table, offset: offset)
        var position = 0
        while position < payload.count {
            guard position + 17 <= payload.count else { throw fault }
            let (kind, slot) = (payload[position] >> 4, Int(payload[position] & 15))
            guard kind <= 1, slot < 4 else { throw fault }
            var counts: [UInt8] = []
            var total = 0
            var code = 0
            for length in 1...16 {
                let count = payload[position + length]
                counts.append(count)
                total += Int(count)
                code += Int(count)
                // More codes than their length has room for; all ones is reserved, and libjpeg takes it.
                guard code <= 1 << length else { throw fault }
                code <<= 1
            }
            guard total <= 256, position + 17 + total <= payload.count else { throw fault }
            var symbols: [UInt8] = []
            for index in 0..<total { symbols.append(payload[position + 17 + index]) }
            // A difference of more than 15 bits, which no sample of 8 bits has.
            guard kind == 1 || symbols.allSatisfy({ $0 <= 15 }) else { throw fault }
            let huffman = HuffmanCode(counts: counts, symbols: symbols)
            if kind == 0 { dc[slot] = huffman } else { ac[slot] = huffman }
            position += 17 + total
        }
    }
}
