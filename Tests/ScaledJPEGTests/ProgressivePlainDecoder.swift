@testable import ScaledJPEG

extension PlainDecoder {
    /// Decodes every coefficient of a progressive file, scan after scan.
    mutating func decodeProgressive(
        _ bytes: [UInt8], _ start: SegmentReader, from first: ScanHeader?
    ) throws {
        var (segments, next) = (start, first)
        var quantisation = [QuantisationTable?](repeating: nil, count: frame.components.count)
        while let scan = next {
            for member in scan.components {
                let table = segments.tables.quantisation[frame.components[member.index].quantisation]
                quantisation[member.index] = quantisation[member.index] ?? table
            }
            segments.resume(at: try decode(scan, segments.tables, bytes))
            next = try segments.nextScan(in: bytes.span)
        }
        for (component, table) in quantisation.enumerated() {
            guard let table else { throw Fault() }
            for block in blocks[component].indices {
                for position in 0..<64 {
                    blocks[component][block][position] *= Int(table.divisors[position])
                }
            }
        }
    }

    private mutating func decode(_ scan: ScanHeader, _ tables: Tables, _ bytes: [UInt8]) throws -> Int {
        var reader = PlainBitReader(bytes, at: scan.dataStart)
        var predictions = [Int](repeating: 0, count: 3)
        var run = 0
        let (columns, rows) = scan.units(in: frame)
        for unit in 0..<columns * rows {
            if scan.restartInterval > 0, unit > 0, unit % scan.restartInterval == 0 {
                try reader.restart()
                (predictions, run) = ([0, 0, 0], 0)
            }
            for member in scan.components {
                let component = frame.components[member.index]
                let (h, v) = scan.isInterleaved ? (component.h, component.v) : (1, 1)
                for inner in 0..<h * v {
                    let (x, y) = (unit % columns * h + inner % h, unit / columns * v + inner / h)
                    var block = blocks[member.index][y * component.storedColumns + x]
                    let (dc, ac) = (tables.dc[member.dcTable], tables.ac[member.acTable])
                    switch (scan.isDC, scan.isRefinement) {
                    case (true, false):
                        predictions[member.index] += try reader.value(Int(reader.symbol(known(dc))))
                        block[0] = predictions[member.index] << scan.lowBit
                    case (true, true): block[0] |= try reader.nextBit() << scan.lowBit
                    case (false, false): try readFirst(&block, &run, scan, known(ac), &reader)
                    case (false, true): try refine(&block, &run, scan, known(ac), &reader)
                    }
                    blocks[member.index][y * component.storedColumns + x] = block
                }
            }
        }
        return reader.end
    }

    private func known(_ code: HuffmanCode?) throws -> HuffmanCode {
        guard let code else { throw Fault() }
        return code
    }

    private func readFirst(
        _ block: inout [Int], _ run: inout Int, _ scan: ScanHeader, _ code: HuffmanCode,
        _ reader: inout PlainBitReader
    ) throws {
        if run > 0 {
            run -= 1
            return
        }
        var position = scan.firstCoefficient
        while position <= scan.lastCoefficient {
            let symbol = Int(try reader.symbol(code))
            let (zeros, size) = (symbol >> 4, symbol & 15)
            if size == 0, zeros < 15 {
                run = 1 << zeros - 1
                for bit in (0..<zeros).reversed() { run += try reader.nextBit() << bit }
                return
            }
            position += zeros
            guard position <= scan.lastCoefficient else { throw Fault() }
            block[position] = try reader.value(size) << scan.lowBit
            position += 1
        }
    }

    private func refine(
        _ block: inout [Int], _ run: inout Int, _ scan: ScanHeader, _ code: HuffmanCode,
        _ reader: inout PlainBitReader
    ) throws {
        let bit = 1 << scan.lowBit
        func correct(_ value: inout Int, _ reader: inout PlainBitReader) throws {
            if try reader.nextBit() == 1 { value += value > 0 ? bit : -bit }
        }
        var position = scan.firstCoefficient
        while run == 0, position <= scan.lastCoefficient {
            let symbol = Int(try reader.symbol(code))
            var (zeros, new) = (symbol >> 4, 0)
            switch symbol & 15 {
            case 0 where zeros < 15:
                run = 1 << zeros
                for bit in (0..<zeros).reversed() { run += try reader.nextBit() << bit }
            case 0: break
            case 1: new = try reader.nextBit() == 1 ? bit : -bit
            default: throw Fault()
            }
            if run > 0 { break }
            while block[position] != 0 || zeros > 0 {
                if block[position] == 0 { zeros -= 1 } else { try correct(&block[position], &reader) }
                position += 1
                guard position <= scan.lastCoefficient else { throw Fault() }
            }
            block[position] = new
            position += 1
        }
        if run > 0 {
            for left in position..<max(position, scan.lastCoefficient + 1) where block[left] != 0 {
                try correct(&block[left], &reader)
            }
            run -= 1
        }
    }
}
