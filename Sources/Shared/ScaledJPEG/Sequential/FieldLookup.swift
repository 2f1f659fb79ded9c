/// The symbols of `HuffmanLookup`, index by index, each in fields that are loaded one by one: where steps do not
/// wait for each other, a load costs less than taking a field out of a word.
struct FieldLookup {
    /// | byte | |
    /// |---|---|
    /// | 0 | bits of the code and of the value behind it; 0 for an escape |
    /// | 1 | what the position advances by, or `blockEnd` |
    /// | 2–3 | a one for each bit of the value, lowest first |
    typealias Entry = UInt32

    /// Beyond every position that a scale keeps.
    static let blockEnd: UInt32 = 31

    /// As many as `ScanTables.symbols`.
    let entries: [Entry]

    init(_ symbols: [HuffmanLookup.Entry]) {
        entries = symbols.map { $0 >> 16 >= HuffmanLookup.escape ? 0 : Self.entry($0).littleEndian }
    }

    /// The fields of a symbol, byte 0 lowest.
    static func entry(_ symbol: HuffmanLookup.Entry) -> Entry {
        symbol & 63 | min(symbol >> 16, blockEnd) << 8 | (1 << (symbol >> 12 & 15) - 1) << 16
    }
}
