/// Reads pieces of a window, four at a time in turns, and writes down where their blocks end.
///
/// One stream of Huffman codes is one chain of dependent steps: where a code begins is known when the one
/// before has been looked up, fifteen cycles later. Four chains fit into little more time than one. Nothing
/// in a step is a branch but the test for what is rare: whether a block ends decides by arithmetic what the
/// next step looks up, and where its word goes.
///
/// Cycles a step, of 10 to 11 bits, on one core of a Zen 4: 15 with one lane, 8.2 with two, 5.8 with three,
/// 4.8 with four, and with five, for which there are not the registers, 4.8 again. Tried as well and no
/// faster: 11 or 13 bits of index, two steps for one load of bits.
///
/// Bounds. A step passes 31 bits at most, the longest code and the longest value; a lane that has reached its
/// limit stops at the next check. So it reads no further than `LanePlan.tail` behind a limit, and lanes without
/// a piece no further behind the window. It writes one word a step, behind the last block's end, and a block
/// takes `LaneTables.leastBitsOfBlock`: that is the room which `LanePlan` gives to a piece. Tables have a step
/// for every index. The schedule goes on for as many blocks as can end between two checks.
@safe struct LaneKernel {
    static let lanes = 4
    /// Steps that a lane takes before it is asked how far it is.
    static let stepsPerCheck = 8
    /// Bits of the longest step.
    static let mostBitsOfStep = 31

    /// Reads all pieces of a window. `LaneTables.read` has looked at the bounds.
    static func read(
        _ pieces: inout [LanePiece], _ window: EntropyWindow, _ turns: [LaneTables.Turn],
        _ steps: [LaneStep], _ symbols: [HuffmanLookup.Entry], _ slots: [BlockSlot], into words: LaneWords
    ) {
        unsafe steps.withUnsafeBufferPointer { steps in
            unsafe symbols.withUnsafeBufferPointer { symbols in
                unsafe slots.withUnsafeBufferPointer { slots in
                    unsafe pieces.withUnsafeMutableBufferPointer { pieces in
                        unsafe window.bytes.withUnsafeBytes { bytes in
                            guard let steps = steps.baseAddress, let symbols = symbols.baseAddress,
                                let bytes = bytes.baseAddress
                            else { return }
                            unsafe LaneFrame.with(
                                pieces, words.elements.address, turns, steps, symbols, slots,
                                end: 8 * window.count
                            ) { unsafe LaneKernel($0, bytes).run() }
                        }
                    }
                }
            }
        }
    }

    private let frame: UnsafeMutablePointer<LaneFrame>
    private let window: UnsafeRawPointer

    /// - Parameters:
    ///   - frame: with its schedule behind it.
    ///   - window: with bytes for `LanePlan.tail` behind every limit.
    init(_ frame: UnsafeMutablePointer<LaneFrame>, _ window: UnsafeRawPointer) {
        unsafe self.frame = frame
        unsafe self.window = window
    }

    /// Reads until there is no piece left.
    ///
    /// Lanes have two registers each; what else they need is reached from the frame's. With pointers of their
    /// own for words and limits, half of the lanes were kept on the stack.
    @inline(never)
    func run() {
        var a = unsafe LaneFrame.nextLane(frame, 0, after: nil)
        var b = unsafe LaneFrame.nextLane(frame, 1, after: nil)
        var c = unsafe LaneFrame.nextLane(frame, 2, after: nil)
        var d = unsafe LaneFrame.nextLane(frame, 3, after: nil)
        while unsafe frame.pointee.lanesAtWork > 0 {
            for _ in 0..<Self.stepsPerCheck {
                unsafe step(&a, frame.pointee.berths.0.words)
                unsafe step(&b, frame.pointee.berths.1.words)
                unsafe step(&c, frame.pointee.berths.2.words)
                unsafe step(&d, frame.pointee.berths.3.words)
            }
            let span = unsafe frame.pointee.span
            unsafe frame.pointee.berths.0.words += a.wrap(span)
            unsafe frame.pointee.berths.1.words += b.wrap(span)
            unsafe frame.pointee.berths.2.words += c.wrap(span)
            unsafe frame.pointee.berths.3.words += d.wrap(span)
            if unsafe a.word >= frame.pointee.berths.0.limit {
                a = unsafe LaneFrame.nextLane(frame, 0, after: a)
            }
            if unsafe b.word >= frame.pointee.berths.1.limit {
                b = unsafe LaneFrame.nextLane(frame, 1, after: b)
            }
            if unsafe c.word >= frame.pointee.berths.2.limit {
                c = unsafe LaneFrame.nextLane(frame, 2, after: c)
            }
            if unsafe d.word >= frame.pointee.berths.3.limit {
                d = unsafe LaneFrame.nextLane(frame, 3, after: d)
            }
        }
    }

    /// - Parameter words: the lane's `LaneBerth.words`.
    @inline(always)
    private func step(_ lane: inout Lane, _ words: UnsafeMutableRawPointer) {
        let byte = Int(bitPattern: lane.word &>> (LaneWord.positionShift + 3))
        let bytes = unsafe window.loadUnaligned(fromByteOffset: byte, as: UInt64.self).bigEndian
        let bits = bytes &<< UInt64((lane.word &>> LaneWord.positionShift) & 7)
        let index = Int(truncatingIfNeeded: bits &>> UInt64(64 - LaneTables.indexBits))
        let turn = unsafe UnsafeRawPointer(frame) + (LaneFrame.schedule &+ lane.cursor &* 8)
        let steps = unsafe turn.load(as: UnsafePointer<LaneStep>.self)
        let kept = unsafe lane.word & turn.load(fromByteOffset: 8, as: UInt.self)
        var next = unsafe kept &+ UInt(steps[index])
        // The hint keeps what the call spills out of the loop.
        if _slowPath(next & LaneWord.doubt != 0) { next = unsafe slowStep(lane.cursor, words) }
        let beyond = lane.cursor | 2
        unsafe (words + beyond).storeBytes(of: UInt32(truncatingIfNeeded: next), as: UInt32.self)
        lane.cursor = beyond &+ Int(bitPattern: next & LaneWord.blockEnd)
        lane.word = next
    }

    /// A step for which the index was too short, or that might pass the block's last coefficient: symbol by
    /// symbol, to the block's end or past one long code. No further than a step goes: the symbols of one whose
    /// codes are short are those that make the block full.
    @inline(never)
    private func slowStep(_ cursor: Int, _ words: UnsafeMutableRawPointer) -> UInt {
        // The word of the step before is the last one that was written: here, or at the end of the block before.
        let isDC = cursor & 2 == 0
        let before = unsafe LaneWord(bits: UInt((words + (isDC ? cursor - 2 : cursor)).load(as: UInt32.self)))
        let slots = unsafe frame.pointee.slots
        let slot = unsafe slots[cursor / 4 % slots.count]
        let table = unsafe frame.pointee.symbols + (isDC ? slot.dc : slot.ac)
        var position = before.position
        var coefficients = isDC ? 0 : before.coefficients
        while true {
            let bytes = unsafe window.loadUnaligned(fromByteOffset: position / 8, as: UInt64.self).bigEndian
            let bits = bytes &<< UInt64(position & 7)
            var entry = unsafe table[Int(bits >> UInt64(64 - HuffmanLookup.indexBits))]
            let isLong = entry >> 16 >= HuffmanLookup.escape
            if isLong { entry = unsafe table[HuffmanLookup.longCode(entry, bits)] }
            guard entry >> 16 < HuffmanLookup.escape else {
                return LaneWord(faultAt: position + LaneWord.bitsOfFault).bits
            }
            position += Int(entry & 63)
            let advance = UInt(entry >> 16)
            if advance >= UInt(HuffmanLookup.blockEnd) { return LaneWord(endAt: position).bits }
            coefficients += advance
            if coefficients == 64 { return LaneWord(endAt: position).bits }
            if coefficients > 64 { return LaneWord(faultAt: position).bits }
            if isLong { return LaneWord(position: position).bits | coefficients * LaneWord.coefficient }
        }
    }
}
