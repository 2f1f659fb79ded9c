@testable import ScaledJPEG
import TestSupport

/// Writes progressive JPEG files of random coefficients, the obvious way: any legal script, any sampling,
/// any restart intervals, any Huffman codes.
struct ProgressivePlainEncoder {
    struct Scan {
        var components: [Int]
        /// Zig-zag positions.
        var band: ClosedRange<Int>
        /// Nil in a first scan.
        var highBit: Int?
        var lowBit: Int
        /// In units; 0 = none.
        var restartInterval = 0
    }

    var width: Int
    var height: Int
    /// Sampling factors of the components, one or three.
    var sampling: [(h: Int, v: Int)]
    var scans: [Scan]
    /// Chance of a coefficient other than DC to be zero, of 100.
    var emptiness = 80
    /// Largest divisor.
    var coarseness = 40
    /// Of 100, how much the codes' lengths differ.
    var skew = 50
    /// Blocks that a run may have before it is written out.
    var longestRun = 0x7FFF
    var random: SplitMix

    /// A layout and a script of every kind; small, so that a run can have thousands.
    init(random seed: UInt64) {
        var random = SplitMix(seed: seed)
        width = Int.random(in: 1...70, using: &random)
        height = Int.random(in: 1...70, using: &random)
        let factors = [
            [(1, 1)], [(2, 3)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)],
            [(1, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (1, 1)], [(2, 2), (2, 1), (1, 2)],
            [(1, 1), (2, 2), (1, 1)], [(3, 2), (1, 1), (3, 1)],
        ]
        sampling = factors.randomElement(using: &random)?.map { (h: $0.0, v: $0.1) } ?? []
        emptiness = [0, 50, 90, 99].randomElement(using: &random) ?? 0
        coarseness = [1, 16, 255, 1000].randomElement(using: &random) ?? 1
        skew = [0, 50, 100].randomElement(using: &random) ?? 0
        longestRun = [1, 3, 0x7FFF].randomElement(using: &random) ?? 1
        scans = Self.script(components: sampling.count, random: &random)
        self.random = random
    }

    /// Scans in a legal order, that bring every coefficient with all bits.
    static func script(components: Int, random: inout SplitMix) -> [Scan] {
        // Each list keeps its order; how they are mixed is chance.
        var lists = [dcScans(components: components, random: &random)]
        var scans: [Scan] = []
        while lists[0].first?.highBit == nil, !lists[0].isEmpty { scans.append(lists[0].removeFirst()) }
        for component in 0..<components { lists.append(acScans(component, random: &random)) }
        while let list = lists.indices.filter({ !lists[$0].isEmpty }).randomElement(using: &random) {
            scans.append(lists[list].removeFirst())
        }
        for index in scans.indices {
            scans[index].restartInterval = [0, 0, 1, 2, 7, 30].randomElement(using: &random) ?? 0
        }
        return scans
    }

    private static func dcScans(components: Int, random: inout SplitMix) -> [Scan] {
        let orders =
            components == 1 ? [[[0]]] : [[[0, 1, 2]], [[0], [1], [2]], [[2], [0, 1]], [[1, 2], [0]]]
        var scans: [Scan] = []
        let highest = Int.random(in: 0...3, using: &random)
        for bit in (0...highest).reversed() {
            for order in orders.randomElement(using: &random) ?? [] {
                let high = bit == highest ? nil : bit + 1
                scans.append(Scan(components: order, band: 0...0, highBit: high, lowBit: bit))
            }
        }
        return scans
    }

    private static func acScans(_ component: Int, random: inout SplitMix) -> [Scan] {
        var scans: [Scan] = []
        let highest = Int.random(in: 0...3, using: &random)
        for bit in (0...highest).reversed() {
            var starts = Set([1])
            // A first band such as most encoders write.
            if Bool.random(using: &random) { starts.insert(Int.random(in: 5...9, using: &random)) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                starts.insert(Int.random(in: 1...63, using: &random))
            }
            let sorted = starts.sorted()
            for (start, next) in zip(sorted, sorted.dropFirst() + [64]).shuffled(using: &random) {
                let high = bit == highest ? nil : bit + 1
                scans.append(
                    Scan(components: [component], band: start...next - 1, highBit: high, lowBit: bit))
            }
        }
        return scans
    }

    /// The file, and its coefficients: one list a component of blocks, row after row of whole MCUs, 64
    /// dequantised coefficients each in zig-zag order.
    mutating func file() throws -> (bytes: [UInt8], blocks: [[[Int]]]) {
        let payload =
            [8] + bigEndian(height) + bigEndian(width) + [UInt8(sampling.count)]
            + sampling.enumerated().flatMap { index, factors in
                [UInt8(index + 1), UInt8(factors.h << 4 | factors.v), UInt8(index)]
            }
        let frame = try FrameHeader(marker: 0xC2, payload.span, offset: 0)
        var bytes: [UInt8] = [0xFF, 0xD8] + segment(0xC2, payload)
        var divisors: [[Int]] = []
        var blocks: [[[Int]]] = []
        for (number, component) in frame.components.enumerated() {
            let table = (0..<64).map { _ in Int.random(in: 1...coarseness, using: &random) }
            divisors.append(table)
            bytes += segment(
                0xDB, [UInt8(16 + number)] + table.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
            var list: [[Int]] = []
            for index in 0..<component.storedColumns * component.storedRows {
                // What only rounds the picture up to whole MCUs is not in every scan.
                let isPicture =
                    index % component.storedColumns < component.blockColumns
                    && index / component.storedColumns < component.blockRows
                list.append(isPicture ? block(table) : [Int](repeating: 0, count: 64))
            }
            blocks.append(list)
        }
        for scan in scans {
            bytes += segment(0xDD, bigEndian(scan.restartInterval))
            let dc = PlainCode(symbols: Array(0...12), skew: skew, random: &random)
            let runs = (0..<16).flatMap { zeros in (1...10).map { UInt8(zeros << 4 | $0) } }
            let ac = PlainCode(symbols: (0..<16).map { $0 << 4 } + runs, skew: skew, random: &random)
            bytes += segment(0xC4, [0x02] + dc.definition) + segment(0xC4, [0x13] + ac.definition)
            var header = [UInt8(scan.components.count)]
            for component in scan.components { header += [UInt8(component + 1), 0x23] }
            header += [UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound)]
            header.append(UInt8((scan.highBit ?? 0) << 4 | scan.lowBit))
            bytes += segment(0xDA, header)
            var writer = ProgressiveScanWriter(scan, dc, ac, longestRun: longestRun)
            bytes += writer.write(blocks, frame)
        }
        for (component, table) in divisors.enumerated() {
            for block in blocks[component].indices {
                blocks[component][block] = zip(blocks[component][block], table).map { $0 * $1 }
            }
        }
        return (bytes + [0xFF, 0xD9], blocks)
    }

    private mutating func block(_ divisors: [Int]) -> [Int] {
        (0..<64).map { position in
            let limit = 1000 / divisors[position]
            guard position > 0 else { return Int.random(in: -limit...limit, using: &random) }
            let isZero = Int.random(in: 0..<100, using: &random) < emptiness
            // Mostly small.
            return isZero
                ? 0
                : Int.random(in: -limit...limit, using: &random)
                    / (1 << Int.random(in: 0...9, using: &random))
        }
    }

    private func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + bigEndian(payload.count + 2) + payload
    }

    private func bigEndian(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
}

/// Writes one scan's bits.
private struct ProgressiveScanWriter {
    let scan: ProgressivePlainEncoder.Scan
    let dc: PlainCode
    let ac: PlainCode
    let longestRun: Int
    var writer = PlainBitWriter()
    /// Blocks whose band is over, not written yet, and the corrections that follow them.
    var run = 0
    var runCorrections: [Int] = []

    init(_ scan: ProgressivePlainEncoder.Scan, _ dc: PlainCode, _ ac: PlainCode, longestRun: Int) {
        (self.scan, self.dc, self.ac, self.longestRun) = (scan, dc, ac, longestRun)
    }

    mutating func write(_ blocks: [[[Int]]], _ frame: FrameHeader) -> [UInt8] {
        let single = scan.components.count == 1 ? frame.components[scan.components[0]] : nil
        let columns = single?.blockColumns ?? frame.mcuColumns
        let rows = single?.blockRows ?? frame.mcuRows
        var predictions = [Int](repeating: 0, count: frame.components.count)
        for unit in 0..<columns * rows {
            if scan.restartInterval > 0, unit > 0, unit % scan.restartInterval == 0 {
                endRun()
                writer.restart(unit / scan.restartInterval - 1)
                predictions = predictions.map { _ in 0 }
            }
            for index in scan.components {
                let component = frame.components[index]
                let (h, v) = single == nil ? (component.h, component.v) : (1, 1)
                for inner in 0..<h * v {
                    let (x, y) = (unit % columns * h + inner % h, unit / columns * v + inner / h)
                    let block = blocks[index][y * component.storedColumns + x]
                    if scan.band.upperBound > 0 {
                        scan.highBit == nil ? writeFirst(block) : refine(block)
                    } else if scan.highBit == nil {
                        let level = block[0] >> scan.lowBit
                        writer.write(dc, zeros: 0, value: level - predictions[index])
                        predictions[index] = level
                    } else {
                        writer.write((block[0] >> scan.lowBit & 1, 1))
                    }
                }
            }
        }
        endRun()
        return writer.finished()
    }

    private mutating func writeFirst(_ block: [Int]) {
        var zeros = 0
        for position in scan.band {
            let value = block[position] / (1 << scan.lowBit)
            if value == 0 {
                zeros += 1
                continue
            }
            endRun()
            while zeros > 15 {
                writer.write(ac[0xF0])
                zeros -= 16
            }
            writer.write(ac, zeros: zeros, value: value)
            zeros = 0
        }
        if zeros > 0 { extendRun([]) }
    }

    private mutating func refine(_ block: [Int]) {
        let levels = block.map { Int($0.magnitude) >> scan.lowBit }
        let lastNew = scan.band.last { levels[$0] == 1 } ?? 0
        var zeros = 0
        var corrections: [Int] = []
        for position in scan.band {
            if levels[position] == 0 {
                zeros += 1
                continue
            }
            while zeros > 15, position <= lastNew {
                endRun()
                writer.write(ac[0xF0])
                write(corrections)
                corrections = []
                zeros -= 16
            }
            if levels[position] > 1 {
                corrections.append(levels[position] & 1)
                continue
            }
            endRun()
            writer.write(ac[UInt8(zeros << 4 | 1)])
            writer.write((block[position] > 0 ? 1 : 0, 1))
            write(corrections)
            corrections = []
            zeros = 0
        }
        if zeros > 0 || !corrections.isEmpty { extendRun(corrections) }
    }

    private mutating func extendRun(_ corrections: [Int]) {
        run += 1
        runCorrections += corrections
        if run == longestRun { endRun() }
    }

    private mutating func endRun() {
        guard run > 0 else { return }
        let size = Int.bitWidth - 1 - run.leadingZeroBitCount
        writer.write(ac[UInt8(size << 4)])
        writer.write((run, size))
        write(runCorrections)
        (run, runCorrections) = (0, [])
    }

    private mutating func write(_ corrections: [Int]) {
        for correction in corrections { writer.write((correction, 1)) }
    }
}
