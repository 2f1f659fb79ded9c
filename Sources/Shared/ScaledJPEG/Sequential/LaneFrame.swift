/// A lane as far as it has registers.
struct Lane {
    /// A `LaneWord`.
    var word: UInt
    /// 4 for each block since the schedule's start, and 2 more once its first step is taken.
    var cursor = 0

    /// Goes back to the schedule's start, if it is a period beyond.
    ///
    /// - Returns: by how much.
    @inline(always)
    mutating func wrap(_ span: Int) -> Int {
        let passed = span & ~((cursor &- span) &>> 63)
        cursor &-= passed
        return passed
    }
}

/// What a cursor stands for: how its next step is looked up.
@safe struct LaneTurn {
    let steps: UnsafePointer<LaneStep>
    /// What is kept of the word: at a block's start only its position.
    let kept: UInt
}

/// Of a lane what has no register.
@safe struct LaneBerth {
    /// From here a step's word goes to `cursor | 2`.
    var words: UnsafeMutableRawPointer
    /// A `LaneWord`.
    var limit: UInt
    /// -1 when there is none left for it.
    var piece: Int
}

/// What the lanes have in common. The schedule follows it in memory, so that one register leads to both.
@safe struct LaneFrame {
    /// First, so that they can be had by number.
    var berths: (LaneBerth, LaneBerth, LaneBerth, LaneBerth)
    /// What a cursor passes in a period of the schedule.
    let span: Int
    /// How many have a piece.
    private(set) var lanesAtWork = 0
    /// `ScanTables.symbols` and the blocks of an MCU.
    let symbols: UnsafePointer<HuffmanLookup.Entry>
    let slots: UnsafeBufferPointer<BlockSlot>

    private let pieces: UnsafeMutableBufferPointer<LanePiece>
    private var nextPiece = 0
    private let words: UnsafeMutablePointer<UInt32>
    /// Where those without a piece write; they read the same bits again and again.
    private let parkingLot: UnsafeMutablePointer<UInt32>
    private let parkingWord: UInt

    /// Bytes from a frame to its schedule.
    static var schedule: Int { (MemoryLayout<LaneFrame>.size + 15) & ~15 }
    /// Words that a lane without a piece writes: a start, and those of the steps between two checks.
    private static var parkingSpace: Int { LaneKernel.stepsPerCheck + 2 }

    /// Makes a frame and its schedule, for as long as the body runs.
    ///
    /// - Parameter end: position behind the window, where lanes without a piece are.
    static func with(
        _ pieces: UnsafeMutableBufferPointer<LanePiece>, _ words: UnsafeMutablePointer<UInt32>,
        _ turns: [LaneTables.Turn], _ steps: UnsafePointer<LaneStep>,
        _ symbols: UnsafePointer<HuffmanLookup.Entry>, _ slots: UnsafeBufferPointer<BlockSlot>, end: Int,
        _ body: (UnsafeMutablePointer<LaneFrame>) -> Void
    ) {
        // Whole MCUs, and no fewer blocks than can end between two checks.
        let period = turns.count * LaneKernel.stepsPerCheck.dividedRoundingUp(by: turns.count)
        let scheduled = 2 * (period + LaneKernel.stepsPerCheck + 1)
        let parkingLot = schedule + scheduled * MemoryLayout<LaneTurn>.stride
        let size = parkingLot + 4 * parkingSpace * MemoryLayout<UInt32>.stride
        unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { memory in
            guard let base = memory.baseAddress else { return }
            let schedule = unsafe (base + schedule).bindMemory(to: LaneTurn.self, capacity: scheduled)
            for index in 0..<scheduled {
                let block = turns[index / 2 % turns.count]
                let start = index % 2 == 0 ? block.first : block.rest
                let kept: UInt = index % 2 == 0 ? ~LaneWord.progress : ~0
                unsafe (schedule + index).initialize(to: LaneTurn(steps: steps + start, kept: kept))
            }
            let lot = unsafe (base + parkingLot).bindMemory(to: UInt32.self, capacity: 4 * parkingSpace)
            let frame = unsafe base.bindMemory(to: LaneFrame.self, capacity: 1)
            unsafe frame.initialize(
                to: LaneFrame(
                    pieces, words, symbols, slots, span: 4 * period, parkingLot: lot, parkingPosition: end))
            unsafe body(frame)
        }
    }

    private init(
        _ pieces: UnsafeMutableBufferPointer<LanePiece>, _ words: UnsafeMutablePointer<UInt32>,
        _ symbols: UnsafePointer<HuffmanLookup.Entry>, _ slots: UnsafeBufferPointer<BlockSlot>, span: Int,
        parkingLot: UnsafeMutablePointer<UInt32>, parkingPosition: Int
    ) {
        let berth = unsafe LaneBerth(words: UnsafeMutableRawPointer(parkingLot), limit: 0, piece: -1)
        berths = (berth, berth, berth, berth)
        self.span = span
        unsafe self.symbols = symbols
        unsafe self.slots = slots
        unsafe self.pieces = pieces
        unsafe self.words = words
        unsafe self.parkingLot = parkingLot
        parkingWord = LaneWord(position: parkingPosition).bits
    }

    /// Ends the piece of a lane, if it had one, and gives it another, if there is one.
    @inline(never)
    static func nextLane(_ frame: UnsafeMutablePointer<LaneFrame>, _ number: Int, after lane: Lane?) -> Lane {
        let berth = unsafe UnsafeMutableRawPointer(frame).assumingMemoryBound(to: LaneBerth.self) + number
        let pieces = unsafe frame.pointee.pieces
        let ended = unsafe berth.pointee.piece
        if ended >= 0, let lane {
            let place = unsafe UnsafeMutableRawPointer(frame.pointee.words + pieces[ended].words)
            let passed = unsafe berth.pointee.words - (place + 2)
            unsafe pieces[ended].blocks = (passed + lane.cursor) / 4
            unsafe frame.pointee.lanesAtWork -= 1
        }
        let next = unsafe frame.pointee.nextPiece
        let place: UnsafeMutablePointer<UInt32>
        let start: UInt
        if next < pieces.count {
            let piece = unsafe pieces[next]
            start = LaneWord(position: piece.start).bits
            unsafe place = frame.pointee.words + piece.words
            unsafe berth.pointee.limit = LaneWord(position: piece.limit).bits
            unsafe berth.pointee.piece = next
            unsafe frame.pointee.nextPiece += 1
            unsafe frame.pointee.lanesAtWork += 1
        } else {
            start = unsafe frame.pointee.parkingWord
            unsafe place = frame.pointee.parkingLot + number * parkingSpace
            // Back here at every check.
            unsafe berth.pointee.limit = 0
            unsafe berth.pointee.piece = -1
        }
        unsafe place.pointee = UInt32(start)
        unsafe berth.pointee.words = UnsafeMutableRawPointer(place) + 2
        return Lane(word: start)
    }
}
