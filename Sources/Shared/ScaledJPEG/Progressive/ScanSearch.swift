/// Finds where a scan's data ends, without decoding it: a search for FF, eight bytes at a time.
struct ScanSearch {
    /// The restart markers that the scan must have, in turn.
    let restarts: Int

    /// The position of the marker behind the data that begins at `start`.
    func end(
        from start: Int, in bytes: Span<UInt8>, shouldStop: () -> Bool
    ) throws(Declined) -> Int {
        var position = start
        var found = 0
        var question = start + Stretch.searched
        while position + 1 < bytes.count {
            // What has been passed may reach beyond the stretch by a byte.
            let end = max(position, min(question, bytes.count - 1))
            guard let hit = bytes.firstFF(in: position..<end) else {
                if shouldStop() { throw .stopped }
                position = end
                question = end + Stretch.searched
                continue
            }
            switch bytes[hit + 1] {
            case 0x00: position = hit + 2
            case 0xFF: position = hit + 1
            case 0xD0...0xD7:
                guard found < restarts, bytes[hit + 1] == 0xD0 | UInt8(found & 7) else {
                    throw .suspect(.restart, offset: hit)
                }
                found += 1
                position = hit + 2
            default:
                guard found == restarts else { throw .suspect(.restart, offset: hit) }
                return hit
            }
        }
        throw .suspect(.cut, offset: bytes.count)
    }
}

extension Span<UInt8> {
    /// The first position in the range that holds FF.
    ///
    /// A word holds an FF exactly when its complement holds a zero byte.
    func firstFF(in range: Range<Int>) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = range.lowerBound
        while position + 8 <= range.upperBound {
            let complement = ~word(unchecked: position)
            let zeros = (complement &- ones) & ~complement & (ones << 7)
            if zeros != 0 { return position + zeros.littleEndian.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < range.upperBound {
            if self[position] == 0xFF { return position }
            position += 1
        }
        return nil
    }
}
