/// The lookup tables of one scan: one array a kind, since a hot loop has few registers for pointers.
struct ScanTables {
    private(set) var symbols: [HuffmanLookup.Entry] = []
    private(set) var runs: [RunLookup.Entry] = []
    /// Empty where no AC coefficient is kept.
    private(set) var pairs: [PairLookup.Entry] = []
    /// Where the tables of each component of the scan begin.
    private(set) var starts: [Starts] = []

    /// The codes of each component of the scan, by `HuffmanLookup.codes`.
    private(set) var codes: [(dc: [HuffmanLookup.Entry], ac: [HuffmanLookup.Entry])] = []

    struct Starts {
        let dc: Int
        let ac: Int
        let runs: Int
        let pairs: Int
    }

    /// - Throws: `.suspect(.table)` when the scan names a table that was not defined.
    init(_ scan: ScanHeader, _ tables: Tables, keepsAC: Bool) throws(Declined) {
        symbols.reserveCapacity(4 * 5 << 10)
        var dcStarts: [Int: (symbols: Int, codes: [HuffmanLookup.Entry])] = [:]
        var acStarts: [Int: (symbols: Int, runs: Int, pairs: Int, codes: [HuffmanLookup.Entry])] = [:]
        for component in scan.components {
            guard let dcCode = tables.dc[component.dcTable], let acCode = tables.ac[component.acTable] else {
                throw .suspect(.table, offset: scan.dataStart)
            }
            if dcStarts[component.dcTable] == nil {
                let lookup = HuffmanLookup(dcCode, isDC: true)
                dcStarts[component.dcTable] = (symbols.count, lookup.codes)
                symbols += lookup.entries
            }
            if acStarts[component.acTable] == nil {
                let lookup = HuffmanLookup(acCode, isDC: false)
                acStarts[component.acTable] = (symbols.count, runs.count, pairs.count, lookup.codes)
                symbols += lookup.entries
                runs += RunLookup(lookup).entries
                if keepsAC { pairs += PairLookup(lookup).entries }
            }
            guard let dc = dcStarts[component.dcTable], let ac = acStarts[component.acTable] else { continue }
            starts.append(Starts(dc: dc.symbols, ac: ac.symbols, runs: ac.runs, pairs: ac.pairs))
            codes.append((dc.codes, ac.codes))
        }
    }
}
