/// The entropy-coded bytes of one scan, a window at a time, with neither stuffing nor markers.
///
/// An encoder writes FF as FF 00, so that a marker can be seen; a bit reader that has not to look for that
/// is twice as fast. Restart markers are taken out too: where they were is kept beside.
struct EntropyWindow {
    /// `count` bytes, then a tail that a reader may run into without leaving the memory. Zeroed at the end
    /// of the scan.
    private(set) var bytes: [UInt8]
    private(set) var count = 0
    /// Where restart markers were: positions in `bytes`, rising, none twice. Their numbers were in turn.
    private(set) var restarts: [Int] = []
    /// Restart markers that have been passed.
    private(set) var restartsPassed = 0
    /// Whether the scan ends where the bytes do.
    private(set) var endsScan = false
    /// Where the file is read on; at the end of the scan the position of the marker that ended it.
    private(set) var filePosition: Int

    private let capacity: Int
    private let takesRestarts: Bool
    private var nextRestart: UInt8 = 0xD0
    /// Restart markers after which a window is full: their places take little more than half of its memory again. Each has
    /// a byte before it, so that such a window is long enough for a reader that wants `tail` bytes ahead.
    private let mostRestarts: Int
    /// Where the last restart marker was, even if that has been dropped.
    private var intervalStart = 0

    /// - Parameters:
    ///   - start: position in the file of the scan's first byte.
    ///   - takesRestarts: whether the scan may have restart markers.
    ///   - capacity: bytes of a window.
    ///   - tail: bytes behind it.
    init(from start: Int, takesRestarts: Bool, capacity: Int, tail: Int) {
        precondition(capacity >= 64 && tail >= 8)
        filePosition = start
        self.takesRestarts = takesRestarts
        self.capacity = capacity
        mostRestarts = max(capacity / 16, 2 * tail)
        bytes = [UInt8](repeating: 0, count: capacity + tail)
    }

    /// Drops the bytes before `first`, moves the others to the front, and reads on until the window is full
    /// or the scan ends.
    mutating func refill(keepingFrom first: Int, of file: Span<UInt8>) throws(Declined) {
        precondition(first <= count)
        guard restartsPassed == restarts.count || restarts[restartsPassed] >= first else {
            throw .suspect(.restart, offset: filePosition)
        }
        drop(first)
        while !endsScan, count + 8 <= capacity, restarts.count < mostRestarts {
            copyToNextFF(of: file)
            guard filePosition + 1 < file.count else { throw .suspect(.cut, offset: filePosition) }
            // Else it stopped for want of room.
            guard count < capacity, file[filePosition] == 0xFF else { break }
            try takeFF(of: file)
        }
        if endsScan { clearTail() }
    }

    /// Passes the next restart marker.
    ///
    /// - Returns: false when it is not at `position`.
    mutating func passRestart(at position: Int) -> Bool {
        guard restartsPassed < restarts.count, restarts[restartsPassed] == position else { return false }
        restartsPassed += 1
        return true
    }

    private mutating func drop(_ dropped: Int) {
        // dropped ≤ count ≤ bytes.count
        let kept = count - dropped
        bytes.withUncheckedMutable { $0.move(from: dropped, count: kept) }
        count -= dropped
        intervalStart -= dropped
        restarts.removeFirst(restartsPassed)
        restartsPassed = 0
        for index in restarts.indices { restarts[index] -= dropped }
    }

    /// Copies up to the next FF, the end of the file or the end of the window, sixteen bytes at a time and where
    /// one of them is FF eight: a word holds an FF exactly when its complement holds a zero byte, and the lowest
    /// is found exactly.
    private mutating func copyToNextFF(of file: Span<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Copies stay in registers.
        var (from, to) = (filePosition, count)
        defer { (filePosition, count) = (from, to) }
        let fileEnd = file.count &- 8
        let windowEnd = capacity &- 8
        bytes.withUncheckedMutable { bytes in
            // Bytes are read and written only where both have as many; the tail has room besides.
            while from <= fileEnd &- 8, to <= windowEnd &- 8 {
                let words = (file.word(unchecked: from), file.word(unchecked: from &+ 8))
                bytes.store(words.0, unchecked: to)
                bytes.store(words.1, unchecked: to &+ 8)
                let zeros =
                    (~words.0 &- ones) & words.0 & (ones << 7) | (~words.1 &- ones) & words.1 & (ones << 7)
                guard zeros == 0 else { break }
                from &+= 16
                to &+= 16
            }
            while from <= fileEnd, to <= windowEnd {
                let word = file.word(unchecked: from)
                bytes.store(word, unchecked: to)
                let zeros = (~word &- ones) & word & (ones << 7)
                if zeros != 0 {
                    let copied = zeros.littleEndian.trailingZeroBitCount / 8
                    from &+= copied
                    to &+= copied
                    return
                }
                from &+= 8
                to &+= 8
            }
            while from < file.count, to <= windowEnd, file[from] != 0xFF {
                bytes[unchecked: to] = file[from]
                from &+= 1
                to &+= 1
            }
        }
    }

    /// At an FF: a stuffed byte, a restart marker, or the end of the scan.
    private mutating func takeFF(of file: Span<UInt8>) throws(Declined) {
        var marker = filePosition + 1
        // Fill bytes, any number.
        while marker < file.count, file[marker] == 0xFF { marker += 1 }
        guard marker < file.count else { throw .suspect(.cut, offset: filePosition) }
        switch file[marker] {
        case 0:
            guard marker == filePosition + 1 else { throw .suspect(.entropy, offset: filePosition) }
            bytes[count] = 0xFF
            count += 1
            filePosition += 2
        case 0xD0...0xD7:
            // An interval has a byte at least.
            guard takesRestarts, file[marker] == nextRestart, count > intervalStart else {
                throw .suspect(.restart, offset: filePosition)
            }
            restarts.append(count)
            intervalStart = count
            nextRestart = 0xD0 | (nextRestart + 1) & 7
            filePosition = marker + 1
        default:
            endsScan = true
        }
    }

    private mutating func clearTail() {
        for index in count..<bytes.count { bytes[index] = 0 }
    }
}
