/// What one look at the next bits tells a lane: how to go on, and no values. Sixteen bits, so that the tables
/// of a picture stay in the first-level cache; they are added to a `LaneWord`.
///
/// | bits | |
/// |---|---|
/// | 1 | the block ends |
/// | 2–7 | coefficients that are passed; DC counts |
/// | 8 | alone: a code that is longer than the index, or none; nothing is passed |
/// | 9–13 | bits of the codes and of the values behind them, at most 27 |
typealias LaneStep = UInt16

extension LaneStep {
    fileprivate init(bits: Int, coefficients: LaneStep, endsBlock: Bool) {
        self =
            LaneStep(bits) << LaneStep(LaneWord.positionShift)
            | coefficients * LaneStep(LaneWord.coefficient) | (endsBlock ? LaneStep(LaneWord.blockEnd) : 0)
    }

    fileprivate var coefficients: LaneStep { self / LaneStep(LaneWord.coefficient) & 63 }
}

/// Where a lane is:
///
/// | bits | |
/// |---|---|
/// | 0 | with bit 1: the block is none, its codes or its coefficients are wrong |
/// | 1 | a block has ended here |
/// | 2–7 | coefficients of the block that are passed |
/// | 8 | more than 63, and so perhaps too many: the step is taken again, symbol by symbol |
/// | 9– | position in the window, in bits |
struct LaneWord {
    let bits: UInt

    static let fault: UInt = 1
    static let blockEnd: UInt = 2
    static let coefficient: UInt = 4
    static let doubt: UInt = 256
    static let positionShift: UInt = 9
    /// All of it but the position.
    static let progress: UInt = 511

    init(bits: UInt) { self.bits = bits }

    init(position: Int) { bits = UInt(position) << Self.positionShift }

    init(endAt position: Int) { bits = Self(position: position).bits | Self.blockEnd }

    /// What is passed where there is no code.
    static let bitsOfFault = 16

    init(faultAt position: Int) { bits = Self(endAt: position).bits | Self.fault }

    var position: Int { Int(bits >> Self.positionShift) }
    /// Those that are passed, up to 63.
    var coefficients: UInt { bits / Self.coefficient & 63 }
}

/// The lookup tables of all lanes.
struct LaneTables {
    /// Bits of an index. More than `HuffmanLookup` has: steps are what takes the time here.
    static let indexBits = 12

    /// Table after table, `1 << indexBits` steps each.
    private(set) var steps: [LaneStep] = []
    /// One a block of an MCU: where its tables begin.
    private(set) var turns: [Turn] = []

    /// Of blocks as lanes see them, wrong ones included: a DC and one AC symbol, or what a fault passes.
    let leastBitsOfBlock: Int

    struct Turn: Equatable {
        /// For the first step of a block: its DC, and as many AC symbols as the index shows behind it.
        let first: Int
        /// For all others: as many AC symbols as the index shows.
        let rest: Int
    }

    init(_ tables: ScanTables, _ slots: [BlockSlot]) {
        func least(_ codes: [HuffmanLookup.Entry]) -> Int {
            codes.map { Int($0 & 63) }.min() ?? LaneWord.bitsOfFault
        }
        let shortest = tables.codes.map { least($0.dc) + least($0.ac) }.min() ?? LaneWord.bitsOfFault
        leastBitsOfBlock = max(2, min(shortest, LaneWord.bitsOfFault))
        var known: [(slot: BlockSlot, turn: Turn)] = []
        for slot in slots {
            let same = known.filter { $0.slot.ac == slot.ac }
            let codes = tables.codes[slot.component]
            let rest = same.first?.turn.rest ?? add { $0.fill($1, seen: Self.indexBits, behind: 0, codes.ac) }
            let first =
                same.first { $0.slot.dc == slot.dc }?.turn.first
                ?? add { $0.fill($1, seen: Self.indexBits, behind: 0, codes.dc, then: codes.ac) }
            turns.append(Turn(first: first, rest: rest))
            known.append((slot, Turn(first: first, rest: rest)))
        }
    }

    /// Blocks after which the turns come again: all of an MCU, or fewer where components share their tables.
    var recurrence: Int {
        let count = turns.count
        return (1...count).first { shift in
            turns.indices.allSatisfy { turns[$0] == turns[($0 + shift) % count] }
        } ?? count
    }

    /// Adds a table in which every step is in doubt, and has it filled.
    private mutating func add(_ fill: (inout LaneTables, Range<Int>) -> Void) -> Int {
        let start = steps.count
        steps += repeatElement(LaneStep(LaneWord.doubt), count: 1 << Self.indexBits)
        fill(&self, start..<steps.count)
        return start
    }

    /// Fills the steps whose indices begin with the same symbols.
    ///
    /// - Parameters:
    ///   - range: the steps.
    ///   - seen: bits of the index behind the symbols: log2 of the steps.
    ///   - passed: what all of them have.
    ///   - codes: of the next symbol, in the order of their lengths, as `HuffmanLookup` has them.
    ///   - following: of those behind it, if they are others.
    private mutating func fill(
        _ range: Range<Int>, seen: Int, behind passed: LaneStep, _ codes: [HuffmanLookup.Entry],
        then following: [HuffmanLookup.Entry]? = nil
    ) {
        var start = range.lowerBound
        for code in codes {
            let (bits, length, advance) = (Int(code & 63), Int(code >> 6 & 63), code >> 16)
            // A code must be seen whole; the last value need not.
            guard length <= seen else { break }
            let end = start + 1 << (seen - length)
            let isBlockEnd = advance == HuffmanLookup.blockEnd
            let coefficients = isBlockEnd ? 0 : LaneStep(advance)
            if advance == HuffmanLookup.escape || passed.coefficients + coefficients > 63 {
                fill(start..<end, with: passed)
            } else {
                let step = passed + LaneStep(bits: bits, coefficients: coefficients, endsBlock: isBlockEnd)
                if bits >= seen || isBlockEnd {
                    fill(start..<end, with: step)
                } else {
                    let size = 1 << (seen - bits)
                    fill(start..<start + size, seen: seen - bits, behind: step, following ?? codes)
                    // What the value is makes no difference.
                    for index in start + size..<end { steps[index] = steps[index - size] }
                }
            }
            start = end
        }
        fill(start..<range.upperBound, with: passed)
    }

    /// Where nothing is passed, the doubt stays.
    private mutating func fill(_ range: Range<Int>, with step: LaneStep) {
        guard step != 0 else { return }
        for index in range { steps[index] = step }
    }

    /// Reads all pieces of a window.
    func read(
        _ pieces: inout [LanePiece], _ window: EntropyWindow, _ symbols: [HuffmanLookup.Entry],
        _ slots: [BlockSlot], into words: LaneWords
    ) {
        // What the kernel relies on.
        precondition(window.bytes.count >= window.count + LanePlan.tail && slots.count == turns.count)
        for piece in pieces {
            precondition(piece.start <= piece.limit && piece.limit <= 8 * window.count + 1)
            let room =
                piece.words
                + LanePlan.words(from: piece.start, to: piece.limit, leastBits: leastBitsOfBlock)
            precondition(room <= words.count)
        }
        LaneKernel.read(&pieces, window, turns, steps, symbols, slots, into: words)
    }
}
