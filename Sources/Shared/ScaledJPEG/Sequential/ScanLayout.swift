/// What the MCUs of a scan are made of, and where their coefficients lie: one row of MCUs at a time.
struct ScanLayout {
    let components: [Component]
    /// MCUs.
    let columns: Int
    let rows: Int
    /// Coefficients of a row of MCUs.
    let coefficients: Int

    /// One component of the scan.
    struct Component {
        /// Index into the frame's components.
        let index: Int
        let frame: FrameComponent
        /// How a row of its blocks lies in memory, as wide as the plane.
        let groups: BlockGroups
        /// Its blocks in an MCU: the sampling factors, or one if it is alone.
        let blocksAcross: Int
        let blocksDown: Int
        /// Where its coefficients begin.
        let start: Int

        /// Its scale: k of k/8.
        var eighths: Int { groups.k }

        /// Coefficients of a row of blocks of the MCUs.
        func row(_ line: Int) -> Range<Int> {
            start + line * groups.coefficients..<start + (line + 1) * groups.coefficients
        }
    }

    init(_ scan: ScanHeader, of frame: FrameHeader, at scales: ComponentScales) {
        var components: [Component] = []
        var start = 0
        for member in scan.components {
            let component = frame.components[member.index]
            let groups = BlockGroups(blocks: component.storedColumns, eighths: scales[member.index])
            components.append(
                Component(
                    index: member.index, frame: component, groups: groups,
                    blocksAcross: scan.isInterleaved ? component.h : 1,
                    blocksDown: scan.isInterleaved ? component.v : 1, start: start))
            start += groups.coefficients * (scan.isInterleaved ? component.v : 1)
        }
        self.components = components
        coefficients = start
        columns = scan.isInterleaved ? frame.mcuColumns : components[0].frame.blockColumns
        rows = scan.isInterleaved ? frame.mcuRows : components[0].frame.blockRows
    }

    /// The largest scale of a component.
    var eighths: Int { components.map(\.eighths).max() ?? 1 }

    /// The blocks of an MCU in the order of their bits.
    func slots(_ tables: ScanTables) -> [BlockSlot] {
        zip(components, tables.starts).enumerated().flatMap { number, pair in
            let (component, starts) = pair
            return (0..<component.blocksDown).flatMap { line in
                (0..<component.blocksAcross).map { across in
                    BlockSlot(
                        starts, component: number, row: component.row(line).lowerBound, column: across,
                        step: component.blocksAcross, groups: component.groups,
                        isReduced: component.eighths < eighths)
                }
            }
        }
    }
}
