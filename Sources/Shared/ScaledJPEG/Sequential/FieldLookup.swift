/// The symbols of `HuffmanLookup`, index by index, each as four bytes that are loaded one by one: where steps
/// do not wait for each other, a load costs less than taking a field out of a word.
struct FieldLookup {
    /// | byte | |
    /// |---|---|
    /// | 0 | bits of the code and of the value behind it; 0 for an escape |
    /// | 1 | bits of the code |
    /// | 2 | by how much the magnitude is shifted down that stands at the top, less one |
    /// | 3 | what the position advances by, or `blockEnd` |
    typealias Entry = UInt32

    /// Beyond every position that a scale keeps.
    static let blockEnd: UInt32 = 31

    /// As many as `ScanTables.symbols`.
    let entries: [Entry]

    init(_ symbols: [HuffmanLookup.Entry]) {
        entries = symbols.map { symbol in
            let isEscape = symbol >> 16 >= HuffmanLookup.escape
            let advance = symbol >> 16 < Self.blockEnd ? symbol >> 16 : Self.blockEnd
            let shift = 63 &- symbol >> 12 & 15
            let entry = symbol & 63 | (symbol >> 6 & 63) << 8 | shift << 16 | advance << 24
            return isEscape ? 0 : entry.littleEndian
        }
    }
}
