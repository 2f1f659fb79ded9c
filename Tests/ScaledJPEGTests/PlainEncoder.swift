@testable import ScaledJPEG
import TestSupport

/// Writes sequential JPEG files of random coefficients, the obvious way: any sampling, any order of scans,
/// any restart intervals, any Huffman codes.
struct PlainEncoder {
    var width: Int
    var height: Int
    /// Sampling factors of the components, one or three.
    var sampling: [(h: Int, v: Int)]
    /// Components of each scan.
    var scans: [[Int]]
    /// One a scan, in MCUs; 0 = none.
    var restartIntervals: [Int]
    /// Chance of a coefficient other than DC to be zero, of 100.
    var emptiness = 80
    /// Largest divisor.
    var coarseness = 40
    /// Of 100, how much the codes' lengths differ: 0 for all alike, 100 for the longest there are.
    var skew = 50
    var random: SplitMix

    /// A layout of every kind; small, so that a run can have thousands.
    init(random seed: UInt64) {
        var random = SplitMix(seed: seed)
        width = Int.random(in: 1...70, using: &random)
        height = Int.random(in: 1...70, using: &random)
        let factors = [
            [(1, 1)], [(2, 3)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)],
            [(1, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (1, 1)], [(1, 4), (1, 1), (1, 1)],
            [(4, 2), (1, 1), (1, 1)], [(2, 2), (2, 1), (1, 2)], [(1, 1), (2, 2), (1, 1)],
            [(2, 4), (1, 1), (1, 1)], [(3, 2), (1, 1), (3, 1)],
        ]
        sampling = factors.randomElement(using: &random)?.map { (h: $0.0, v: $0.1) } ?? []
        let orders =
            sampling.count == 1
            ? [[[0]]] : [[[0, 1, 2]], [[0], [1], [2]], [[2], [0, 1]], [[1, 2], [0]]]
        scans = orders.randomElement(using: &random) ?? []
        restartIntervals = []
        for _ in scans {
            restartIntervals.append([0, 1, 2, 7, 30].randomElement(using: &random) ?? 0)
        }
        emptiness = [0, 50, 90, 99].randomElement(using: &random) ?? 0
        coarseness = [1, 16, 255, 1000].randomElement(using: &random) ?? 1
        skew = [0, 50, 100].randomElement(using: &random) ?? 0
        self.random = random
    }

    mutating func file() -> [UInt8] {
        let maximumH = sampling.map(\.h).max() ?? 1
        let maximumV = sampling.map(\.v).max() ?? 1
        var bytes: [UInt8] = [0xFF, 0xD8]
        var divisors: [[Int]] = []
        for _ in sampling {
            var table: [Int] = []
            for _ in 0..<64 { table.append(Int.random(in: 1...coarseness, using: &random)) }
            divisors.append(table)
        }
        // The components of each scan have tables 0, 1 and 2: those of the scan before are overwritten.
        let slots = sampling.indices.map { index in scans.compactMap { $0.firstIndex(of: index) }[0] }
        bytes += segment(
            0xC1,
            [8] + bigEndian(height) + bigEndian(width) + [UInt8(sampling.count)]
                + sampling.enumerated().flatMap { index, factors in
                    [UInt8(index + 1), UInt8(factors.h << 4 | factors.v), UInt8(slots[index])]
                })
        for (scan, interval) in zip(scans, restartIntervals) {
            for component in scan {
                bytes += segment(
                    0xDB, [UInt8(16 + slots[component])] + divisors[component].flatMap(bigEndian))
            }
            bytes += segment(0xDD, bigEndian(interval))
            let dc = PlainCode(symbols: Array(0...11), skew: skew, random: &random)
            let runs = (0..<16).flatMap { zeros in (1...10).map { UInt8(zeros << 4 | $0) } }
            let ac = PlainCode(symbols: [0x00, 0xF0] + runs, skew: skew, random: &random)
            bytes += segment(0xC4, [0x02] + dc.definition) + segment(0xC4, [0x13] + ac.definition)
            bytes += segment(
                0xDA,
                [UInt8(scan.count)] + scan.flatMap { [UInt8($0 + 1), 0x23] } + [0, 63, 0])

            var writer = PlainBitWriter()
            var predictions = [Int](repeating: 0, count: 3)
            let isAlone = scan.count == 1
            let (h, v) = (sampling[scan[0]].h, sampling[scan[0]].v)
            let columns =
                isAlone
                ? (width * h + 8 * maximumH - 1) / (8 * maximumH)
                : (width + 8 * maximumH - 1) / (8 * maximumH)
            let rows =
                isAlone
                ? (height * v + 8 * maximumV - 1) / (8 * maximumV)
                : (height + 8 * maximumV - 1) / (8 * maximumV)
            for mcu in 0..<columns * rows {
                if interval > 0, mcu > 0, mcu % interval == 0 {
                    writer.restart(mcu / interval - 1)
                    predictions = [0, 0, 0]
                }
                for component in scan {
                    let blocks = isAlone ? 1 : sampling[component].h * sampling[component].v
                    for _ in 0..<blocks {
                        write(divisors[component], &predictions[component], dc, ac, to: &writer)
                    }
                }
            }
            bytes += writer.finished()
        }
        return bytes + [0xFF, 0xD9]
    }

    /// Writes a random block.
    private mutating func write(
        _ divisors: [Int], _ prediction: inout Int, _ dc: PlainCode, _ ac: PlainCode,
        to writer: inout PlainBitWriter
    ) {
        let level = Int.random(in: -1023...1023, using: &random) / divisors[0]
        writer.write(dc, zeros: 0, value: level - prediction)
        prediction = level
        var zeros = 0
        for position in 1..<64 {
            let limit = 1000 / divisors[position]
            let isZero = Int.random(in: 0..<100, using: &random) < emptiness
            // Mostly small.
            let value =
                isZero
                ? 0 : Int.random(in: -limit...limit, using: &random) >> Int.random(in: 0...9, using: &random)
            if value == 0 {
                zeros += 1
                continue
            }
            while zeros > 15 {
                writer.write(ac[0xF0])
                zeros -= 16
            }
            writer.write(ac, zeros: zeros, value: value)
            zeros = 0
        }
        if zeros > 0 { writer.write(ac[0x00]) }
    }

    private func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + bigEndian(payload.count + 2) + payload
    }

    private func bigEndian(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
}

/// A Huffman code with random lengths of up to sixteen bits.
struct PlainCode {
    /// As a DHT segment has it, behind the table's number.
    let definition: [UInt8]
    private var codes: [UInt8: (code: Int, length: Int)] = [:]

    /// - Parameter skew: how often, of 100, the longest code is lengthened and not the shortest.
    init(symbols: [UInt8], skew: Int, random: inout SplitMix) {
        // The leaves of a tree; one more than symbols, since the code of ones is reserved.
        var lengths = [0]
        while lengths.count < symbols.count + 1 {
            let isSkewed = Int.random(in: 0..<100, using: &random) < skew
            let candidates = lengths.indices.filter { lengths[$0] < 16 }
            let split =
                isSkewed
                ? candidates.max { lengths[$0] < lengths[$1] } : candidates.min { lengths[$0] < lengths[$1] }
            guard let split else { break }
            lengths[split] += 1
            lengths.append(lengths[split])
        }
        lengths.sort()
        let symbols = symbols.shuffled(using: &random)
        var counts = [UInt8](repeating: 0, count: 16)
        var code = 0
        for (index, symbol) in symbols.enumerated() {
            let length = lengths[index]
            counts[length - 1] += 1
            codes[symbol] = (code, length)
            code = (code + 1) << (lengths[index + 1] - length)
        }
        definition = counts + symbols
    }

    subscript(_ symbol: UInt8) -> (code: Int, length: Int) { codes[symbol] ?? (0, 0) }
}

/// Entropy-coded bytes: stuffed, and padded with ones.
struct PlainBitWriter {
    private var bytes: [UInt8] = []
    private var pending = 0
    private var count = 0

    mutating func write(_ code: (code: Int, length: Int)) {
        for bit in (0..<code.length).reversed() {
            pending = pending << 1 | code.code >> bit & 1
            count += 1
            if count == 8 {
                bytes.append(UInt8(pending))
                if pending == 0xFF { bytes.append(0) }
                (pending, count) = (0, 0)
            }
        }
    }

    mutating func write(_ code: PlainCode, zeros: Int, value: Int) {
        let size = Int.bitWidth - value.magnitude.leadingZeroBitCount
        write(code[UInt8(zeros << 4 | size)])
        write((value < 0 ? value + 1 << size - 1 : value, size))
    }

    mutating func restart(_ number: Int) {
        pad()
        bytes += [0xFF, UInt8(0xD0 + number % 8)]
    }

    mutating func finished() -> [UInt8] {
        pad()
        return bytes
    }

    private mutating func pad() {
        while count > 0 { write((1, 1)) }
    }
}
