@testable import ScaledJPEG

/// Decodes every coefficient of a file, the obvious way: bit after bit.
struct PlainDecoder {
    struct Fault: Error {}

    let frame: FrameHeader
    /// One a component: its blocks, row after row of `storedColumns`; 64 dequantised coefficients each, in
    /// zig-zag order.
    var blocks: [[[Int]]]

    init(_ bytes: [UInt8]) throws {
        var segments = try SegmentReader(bytes.span)
        var next = try segments.nextScan(in: bytes.span)
        guard let frame = segments.frame else { throw Fault() }
        self.frame = frame
        blocks = frame.components.map { component in
            let count = component.storedColumns * component.storedRows
            return [[Int]](repeating: [Int](repeating: 0, count: 64), count: count)
        }
        if frame.isProgressive {
            try decodeProgressive(bytes, segments, from: next)
            return
        }
        while let scan = next {
            segments.resume(at: try decode(scan, segments.tables, bytes))
            next = try segments.nextScan(in: bytes.span)
        }
    }

    /// The samples of a component at k/8, 8 for its full size, in Double and not limited: whole blocks, row
    /// after row.
    func samples(_ component: Int, eighths k: Int) -> [[Double]] {
        let columns = frame.components[component].storedColumns
        let rows = frame.components[component].storedRows
        let positions = (0..<k * k).map { ZigZag.position(u: $0 % k, v: $0 / k) }
        let transform = SeparableTransform(eighths: k)
        var samples = [[Double]](repeating: [Double](repeating: 0, count: columns * k), count: rows * k)
        for (index, block) in blocks[component].enumerated() {
            let square = transform(positions.map { Double(block[$0]) })
            for y in 0..<k {
                for x in 0..<k {
                    samples[index / columns * k + y][index % columns * k + x] = square[y * k + x]
                }
            }
        }
        return samples
    }

    private mutating func decode(_ scan: ScanHeader, _ tables: Tables, _ bytes: [UInt8]) throws -> Int {
        var reader = PlainBitReader(bytes, at: scan.dataStart)
        var predictions = [Int](repeating: 0, count: 3)
        let single = scan.isInterleaved ? nil : frame.components[scan.components[0].index]
        let columns = single?.blockColumns ?? frame.mcuColumns
        let rows = single?.blockRows ?? frame.mcuRows
        for mcu in 0..<columns * rows {
            if scan.restartInterval > 0, mcu > 0, mcu % scan.restartInterval == 0 {
                try reader.restart()
                predictions = [0, 0, 0]
            }
            for member in scan.components {
                let component = frame.components[member.index]
                guard let dc = tables.dc[member.dcTable], let ac = tables.ac[member.acTable],
                    let quantisation = tables.quantisation[component.quantisation]
                else { throw Fault() }
                let (h, v) = single == nil ? (component.h, component.v) : (1, 1)
                for inner in 0..<h * v {
                    let x = mcu % columns * h + inner % h
                    let y = mcu / columns * v + inner / h
                    let coded = try reader.block(&predictions[member.index], dc, ac)
                    blocks[member.index][y * component.storedColumns + x] = zip(
                        coded, quantisation.divisors
                    ).map { $0 * Int($1) }
                }
            }
        }
        return reader.end
    }
}

/// The transform of `ReducedTransform.reference`, one axis after the other.
struct SeparableTransform {
    private let k: Int
    /// Response x · k + u along one axis, read off the reference.
    private let responses: [Double]

    init(eighths k: Int) {
        self.k = k
        var responses = [Double](repeating: 0, count: k * k)
        for u in 0..<k {
            var single = [Double](repeating: 0, count: k * k)
            single[u] = 1
            let row = ReducedTransform.reference(single, eighths: k)
            // Without the level, and without the weight of v = 0, which is (1/4) / √2.
            for x in 0..<k { responses[x * k + u] = (row[x] - 128) * 32.0.squareRoot() }
        }
        self.responses = responses
    }

    func callAsFunction(_ coefficients: [Double]) -> [Double] {
        var half = [Double](repeating: 0, count: k * k)
        for v in 0..<k {
            for x in 0..<k {
                var sum = 0.0
                for u in 0..<k { sum += responses[x * k + u] * coefficients[v * k + u] }
                half[v * k + x] = sum
            }
        }
        var samples = [Double](repeating: 0, count: k * k)
        for y in 0..<k {
            for x in 0..<k {
                var sum = 0.0
                for v in 0..<k { sum += responses[y * k + v] * half[v * k + x] }
                samples[y * k + x] = 128 + sum / 4
            }
        }
        return samples
    }
}

struct PlainBitReader {
    private let bytes: [UInt8]
    private var position: Int
    private var bit = 0

    init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// Position of the marker behind the last bit.
    var end: Int { bit == 0 ? position : next }

    /// Where the byte behind this one is.
    private var next: Int { position + (bytes[position] == 0xFF ? 2 : 1) }

    mutating func restart() throws {
        position = end + 2
        bit = 0
        guard position <= bytes.count, bytes[position - 2] == 0xFF, 0xD0...0xD7 ~= bytes[position - 1] else {
            throw PlainDecoder.Fault()
        }
    }

    /// 64 coefficients as they were coded.
    mutating func block(_ prediction: inout Int, _ dc: HuffmanCode, _ ac: HuffmanCode) throws -> [Int] {
        var block = [Int](repeating: 0, count: 64)
        prediction += try value(Int(symbol(dc)))
        block[0] = prediction
        var position = 1
        while position < 64 {
            let symbol = try symbol(ac)
            let (zeros, size) = (Int(symbol >> 4), Int(symbol & 15))
            if size == 0, zeros < 15 { break }
            position += zeros
            guard position < 64 else { throw PlainDecoder.Fault() }
            block[position] = try value(size)
            position += 1
        }
        return block
    }

    mutating func symbol(_ code: HuffmanCode) throws -> UInt8 {
        var (number, first, place) = (0, 0, 0)
        for count in code.counts.map(Int.init) {
            number = number << 1 | (try nextBit())
            if number - first < count { return code.symbols[place + number - first] }
            place += count
            first = (first + count) << 1
        }
        throw PlainDecoder.Fault()
    }

    mutating func value(_ size: Int) throws -> Int {
        var value = 0
        for _ in 0..<size { value = value << 1 | (try nextBit()) }
        return size > 0 && value < 1 << (size - 1) ? value - 1 << size + 1 : value
    }

    mutating func nextBit() throws -> Int {
        guard position + 1 < bytes.count, bytes[position] != 0xFF || bytes[position + 1] == 0 else {
            throw PlainDecoder.Fault()
        }
        let value = Int(bytes[position] >> UInt8(7 - bit) & 1)
        bit += 1
        if bit == 8 {
            position = next
            bit = 0
        }
        return value
    }
}
