/// A stretch of a scan's bytes as the bit reader wants them: FF 00 is one byte, no marker is among them,
/// and zeros follow that a damaged block may run into.
///
/// One window serves all scans of a file. It never holds bytes of two restart intervals.
struct ScanWindow: ~Copyable {
    private let room: LoopMemory<UInt8>
    private var memory: UncheckedMutable<UInt8> { room.elements }
    /// Bytes of data in the window.
    private var filled = 0
    /// Where in the file the next byte comes from, and where the scan's data ends.
    private(set) var position = 0
    private var end = 0
    /// The interval's last byte is in the window.
    private var isComplete = false

    private static let capacity = Stretch.unstuffed
    /// Bytes that one block takes at most: 63 symbols of 16 bits with 15 more each, and the length of a run
    /// of blocks. An MCU of ten differences takes less.
    private static let longestBlock = (63 * 31 + 16 + 14 + 7) / 8
    /// Zeros behind the last data. A reader may have loaded eight bytes of them before it begins a block,
    /// and loads eight more than the block takes, eight at a time.
    private static let tail = longestBlock + 3 * 8

    init() {
        // A word is stored whole, wherever in the window its first byte is.
        room = LoopMemory(repeating: 0, count: Self.capacity + 8 + Self.tail)
    }

    /// Begins an interval at a position of the file; its bytes end before `end`.
    mutating func begin(at start: Int, before end: Int, in bytes: Span<UInt8>) -> BitReader {
        position = start
        self.end = end
        filled = 0
        isComplete = false
        fill(from: bytes)
        return BitReader(memory.reading, at: 0)
    }

    /// Where a reader may begin a block, at most: all that it can take is data, or lies in the zeros behind the
    /// last data.
    @inline(always)
    var limit: Unchecked<UInt8> {
        memory.reading + (isComplete ? filled : filled - Self.longestBlock)
    }

    /// Brings more bytes where a reader that begins a block may need them.
    ///
    /// - Parameter limit: this window's, for a loop to keep in a register.
    /// - Throws: `.suspect` when there are none and bits have been taken that do not exist.
    @inline(always)
    mutating func prepare(
        _ reader: inout BitReader, _ limit: inout Unchecked<UInt8>, in bytes: Span<UInt8>
    ) throws(Declined) {
        if reader.isAtOrBefore(limit) { return }
        // Only the copy has an address, so that the loop's reader stays in registers.
        var copy = reader
        try advance(&copy, in: bytes)
        reader = copy
        limit = self.limit
    }

    private mutating func advance(_ reader: inout BitReader, in bytes: Span<UInt8>) throws(Declined) {
        let taken = reader.position(from: memory.reading)
        guard taken <= filled * 8 else { throw .suspect(.entropy, offset: position) }
        if isComplete { return }
        let first = taken >> 3
        memory.move(from: first, count: filled - first)
        filled -= first
        fill(from: bytes)
        reader = BitReader(memory.reading, at: taken & 7)
    }

    /// Ends the interval: every byte must have been taken, the last one at least in part.
    mutating func finish(_ reader: inout BitReader, in bytes: Span<UInt8>) throws(Declined) {
        if !isComplete { try advance(&reader, in: bytes) }
        let left = filled * 8 - reader.position(from: memory.reading)
        guard isComplete, (0..<8).contains(left) else { throw .suspect(.entropy, offset: position) }
    }

    /// Passes the restart marker that ends the interval, and begins the next.
    mutating func restart(number: Int, in bytes: Span<UInt8>) throws(Declined) -> BitReader {
        // Fill bytes.
        while position + 1 < end, bytes[position + 1] == 0xFF { position += 1 }
        guard position + 1 < end, bytes[position + 1] == 0xD0 | UInt8(number & 7) else {
            throw .suspect(.restart, offset: position)
        }
        return begin(at: position + 2, before: end, in: bytes)
    }

    /// Appends bytes until the window is full or the interval ends, then the zeros.
    private mutating func fill(from bytes: Span<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while filled < Self.capacity, !isComplete {
            if position + 8 <= end {
                // Copied whole; what is behind the first FF is overwritten by what comes next.
                let word = bytes.word(unchecked: position)
                memory.store(word, unchecked: filled)
                // A byte is zero here exactly when it is FF there, up to the first.
                let zeros = (~word &- ones) & word & (ones << 7)
                if zeros == 0 {
                    position += 8
                    filled += 8
                    continue
                }
                let plain = zeros.littleEndian.trailingZeroBitCount / 8
                position += plain
                filled += plain
            }
            takeByte(from: bytes)
        }
        for index in filled..<filled + Self.tail { memory[unchecked: index] = 0 }
    }

    /// Appends one byte, stuffed or not, or finds that the interval ends here.
    private mutating func takeByte(from bytes: Span<UInt8>) {
        guard position < end else { return isComplete = true }
        let byte = bytes[position]
        if byte == 0xFF {
            guard position + 1 < end, bytes[position + 1] == 0 else { return isComplete = true }
            position += 1
        }
        position += 1
        memory[unchecked: filled] = byte
        filled += 1
    }
}

extension BitReader {
    /// The next 0…32 bits as a number, which have been topped up.
    @inline(always)
    mutating func take(_ count: Int) -> Int {
        let count = UInt64(truncatingIfNeeded: count)
        let number = Int(truncatingIfNeeded: (word >> 1) &>> (63 &- count))
        drop(count)
        return number
    }
}
