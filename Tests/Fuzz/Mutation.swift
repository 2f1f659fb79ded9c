import CLibFuzzer
import TestSupport

/// One change to a file, which mostly leaves it a JPEG: random bytes seldom get past the header.
struct Mutation {
    private var list: PieceList
    private var random: SplitMix

    private init(_ file: [UInt8], seed: UInt32) {
        list = PieceList(file)
        random = SplitMix(seed: UInt64(seed))
    }

    /// A changed file, of at most `capacity` bytes.
    static func mutant(of file: [UInt8], capacity: Int, seed: UInt32) -> [UInt8] {
        var mutation = Mutation(file, seed: seed)
        if mutation.chance(of: 4) { return changed(file, capacity: capacity) }
        for _ in 0...Int.random(in: 0...2, using: &mutation.random) { mutation.changePiece() }
        return Array(mutation.list.file.prefix(capacity))
    }

    /// The first file with a piece of the second.
    static func child(of file: [UInt8], and other: [UInt8], capacity: Int, seed: UInt32) -> [UInt8] {
        var mutation = Mutation(file, seed: seed)
        mutation.takePiece(from: PieceList(other))
        return Array(mutation.list.file.prefix(capacity))
    }

    /// As libFuzzer changes bytes, with what it has learned from the decoder's comparisons.
    private static func changed(_ bytes: [UInt8], capacity: Int) -> [UInt8] {
        var memory = bytes + [UInt8](repeating: 0, count: max(0, capacity - bytes.count))
        let count = unsafe memory.withUnsafeMutableBufferPointer { memory in
            unsafe LLVMFuzzerMutate(memory.baseAddress, bytes.count, memory.count)
        }
        return Array(memory.prefix(count))
    }

    private mutating func changePiece() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: rearrange()
        case 1: changePayload(of: 0xC0...0xFE)
        case 2: changePayload(of: 0xC4...0xC4)
        case 3: changePayload(of: 0xDA...0xDB)
        case 4: changeFrame()
        case 5: changeScanHeader()
        case 6: swapSymbols()
        case 7: changeIntervals()
        default: changeBits()
        }
    }

    /// Leaves a piece out, doubles one, or moves one.
    private mutating func rearrange() {
        guard let index = list.pieces.indices.randomElement(using: &random) else { return }
        let piece = list.pieces[index]
        if !chance(of: 3) { list.pieces.remove(at: index) }
        if !chance(of: 3) {
            list.pieces.insert(piece, at: Int.random(in: 0...list.pieces.count, using: &random))
        }
    }

    private mutating func changePayload(of markers: ClosedRange<UInt8>) {
        guard let index = list.indices(of: markers).randomElement(using: &random),
            let payload = list.pieces[index].payload
        else { return }
        list.pieces[index].payload = Self.changed(payload, capacity: payload.count + 16)
    }

    /// Size, sampling factors, tables.
    private mutating func changeFrame() {
        guard let index = list.indices(of: 0xC0...0xC2).randomElement(using: &random) else { return }
        set(1 + 2 * Int.random(in: 0...1, using: &random), of: index, to: [0, 0, 0, 1, 4])
        set(2 + 2 * Int.random(in: 0...1, using: &random), of: index, to: Array(1...80))
        let component = Int.random(in: 0...2, using: &random)
        set(7 + 3 * component, of: index, to: [0x11, 0x11, 0x12, 0x21, 0x22, 0x41, 0x14, 0x13, 0x31, 0x24])
        set(8 + 3 * component, of: index, to: [0, 1, 2, 3])
        if chance(of: 4) { list.pieces[index].marker = UInt8.random(in: 0xC0...0xC2, using: &random) }
    }

    /// Components, tables, band, bits.
    private mutating func changeScanHeader() {
        guard let index = list.indices(of: 0xDA...0xDA).randomElement(using: &random),
            let count = list.pieces[index].payload?.first.map(Int.init)
        else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: set(2, of: index, to: [0x00, 0x11, 0x10, 0x01, 0x22, 0x33])
        case 1: set(1 + 2 * count, of: index, to: [0, 1, 2, 5, 6, 63])
        case 2: set(2 + 2 * count, of: index, to: [0, 1, 4, 5, 9, 24, 63])
        default: set(3 + 2 * count, of: index, to: [0x00, 0x01, 0x10, 0x02, 0x21, 0x0D])
        }
    }

    private mutating func set(_ place: Int, of index: Int, to values: [UInt8]) {
        guard chance(of: 2), let payload = list.pieces[index].payload, place < payload.count,
            let value = values.randomElement(using: &random)
        else { return }
        list.pieces[index].payload?[place] = value
    }

    /// Two symbols of a Huffman table, or a symbol for another: the code stays sound.
    private mutating func swapSymbols() {
        guard let index = list.indices(of: 0xC4...0xC4).randomElement(using: &random),
            let payload = list.pieces[index].payload, payload.count > 18
        else { return }
        let one = Int.random(in: 17..<payload.count, using: &random)
        let other = Int.random(in: 17..<payload.count, using: &random)
        list.pieces[index].payload?.swapAt(one, other)
        if chance(of: 2) {
            list.pieces[index].payload?[one] = UInt8.random(in: 0...255, using: &random)
        }
    }

    /// The restart interval, and where the restart markers are.
    private mutating func changeIntervals() {
        guard let scan = list.indices(of: 0xDA...0xDA).randomElement(using: &random) else { return }
        if chance(of: 2) {
            let interval = UInt8.random(in: 0...8, using: &random)
            list.pieces.insert(PieceList.Piece(marker: 0xDD, payload: [0, interval]), at: scan)
            return
        }
        guard let number = list.pieces[scan].intervals.indices.randomElement(using: &random) else { return }
        let interval = list.pieces[scan].intervals[number]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: list.pieces[scan].intervals.remove(at: number)
        case 1: list.pieces[scan].intervals.insert(interval, at: number)
        default:
            let middle = Int.random(in: 0...interval.count, using: &random)
            list.pieces[scan].intervals[number] = Array(interval[..<middle])
            list.pieces[scan].intervals.insert(Array(interval[middle...]), at: number + 1)
        }
    }

    /// Entropy-coded bits of one interval.
    private mutating func changeBits() {
        guard let scan = list.indices(of: 0xDA...0xDA).randomElement(using: &random),
            let number = list.pieces[scan].intervals.indices.randomElement(using: &random)
        else { return }
        let interval = list.pieces[scan].intervals[number]
        guard let place = interval.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: list.pieces[scan].intervals[number] = Self.changed(interval, capacity: interval.count + 64)
        case 1: list.pieces[scan].intervals[number] = Array(interval[...place])
        default: list.pieces[scan].intervals[number][place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
    }

    /// A piece in place of one of the same kind, or beside it.
    private mutating func takePiece(from donor: PieceList) {
        guard let piece = donor.pieces.randomElement(using: &random) else { return }
        let places = list.indices(of: piece.marker...piece.marker)
        guard let index = places.randomElement(using: &random) ?? list.pieces.indices.last else { return }
        if chance(of: 2) { list.pieces.remove(at: index) }
        list.pieces.insert(piece, at: index)
    }

    private mutating func chance(of count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
}
