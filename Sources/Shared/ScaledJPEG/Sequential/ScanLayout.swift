/// What the MCUs of a scan are made of, and where their coefficients lie: one row of MCUs at a time.
struct ScanLayout {
    let components: [Component]
    /// MCUs.
    let columns: Int
    let rows: Int
    /// Coefficients of a row of MCUs.
    let coefficients: Int
    /// How blocks of a row lie beside each other. Asked for their places only: components are of different widths.
    let groups: BlockGroups
    /// The last zig-zag position that the scale needs.
    let lastPosition: Int

    /// One component of the scan.
    struct Component {
        /// Index into the frame's components.
        let index: Int
        let frame: FrameComponent
        /// Its blocks in an MCU: the sampling factors, or one if it is alone.
        let blocksAcross: Int
        let blocksDown: Int
        /// Where its coefficients begin.
        let start: Int
        /// Coefficients of one row of blocks, as wide as the plane.
        let rowLength: Int

        /// Coefficients of a row of blocks of the MCUs.
        func row(_ line: Int) -> Range<Int> {
            start + line * rowLength..<start + (line + 1) * rowLength
        }
    }

    init(_ scan: ScanHeader, of frame: FrameHeader, eighths k: Int) {
        var components: [Component] = []
        var start = 0
        for member in scan.components {
            let component = frame.components[member.index]
            let rowLength = BlockGroups(blocks: component.storedColumns, eighths: k).coefficients
            components.append(
                Component(
                    index: member.index, frame: component,
                    blocksAcross: scan.isInterleaved ? component.h : 1,
                    blocksDown: scan.isInterleaved ? component.v : 1, start: start, rowLength: rowLength))
            start += rowLength * (scan.isInterleaved ? component.v : 1)
        }
        self.components = components
        coefficients = start
        columns = scan.isInterleaved ? frame.mcuColumns : components[0].frame.blockColumns
        rows = scan.isInterleaved ? frame.mcuRows : components[0].frame.blockRows
        groups = BlockGroups(blocks: columns, eighths: k)
        lastPosition = ZigZag.last(eighths: k)
    }

    /// The blocks of an MCU in the order of their bits.
    func slots(_ tables: ScanTables) -> [BlockSlot] {
        zip(components, tables.starts).enumerated().flatMap { number, pair in
            let (component, starts) = pair
            return (0..<component.blocksDown).flatMap { line in
                (0..<component.blocksAcross).map { across in
                    BlockSlot(
                        dc: starts.dc, ac: starts.ac, runs: starts.runs, pairs: starts.pairs,
                        component: number,
                        row: component.row(line).lowerBound, column: across, step: component.blocksAcross)
                }
            }
        }
    }
}
