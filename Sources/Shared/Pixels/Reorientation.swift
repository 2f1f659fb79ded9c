public import Geometry

extension Plane {
    /// The plane as it is to be shown: what is stored under this orientation, turned upright.
    ///
    /// Mirrored and half-turned planes are turned in place; where the sides swap, a second plane of
    /// the same size lives until the first is gone.
    public consuming func reoriented(_ orientation: Orientation) -> Plane {
        if orientation.swapsSides {
            return transposed(
                mirroringColumns: orientation.mirrorsColumns, mirroringRows: orientation.mirrorsRows)
        }
        if orientation.mirrorsColumns { reverseEachRow() }
        if orientation.mirrorsRows { reverseOrderOfRows() }
        return self
    }

    /// The bytes that reorienting takes at its peak, beyond the plane itself.
    public static func reorientationBytes(_ stored: PixelSize, _ orientation: Orientation) -> Int {
        orientation.swapsSides ? allocatedBytes(width: stored.width, height: stored.height) : 0
    }

    private mutating func reverseEachRow() {
        let last = width - 1
        for y in 0..<height {
            var row = mutableRow(y)
            for x in 0..<(last + 1) / 2 { row.swapAt(x, last - x) }
        }
    }

    private mutating func reverseOrderOfRows() {
        let width = width
        for y in 0..<height / 2 {
            let upper = unsafe rowPointer(y)
            let lower = unsafe rowPointer(height - 1 - y)
            for x in 0..<width { unsafe swap(&upper[x], &lower[x]) }
        }
    }

    /// Target (x, y) is source (y, x), counted from the far edge where mirrored.
    private consuming func transposed(mirroringColumns: Bool, mirroringRows: Bool) -> Plane {
        let (width, height) = (width, height)
        let turned = Plane(width: height, height: width)
        let step = mirroringRows ? -width : width
        // Block by block, so that the lines of both planes stay in the cache: 1.9 ms instead of 2.8 for
        // 2016x1512. Spans instead of pointers took 3.6.
        let block = 32
        for blockY in stride(from: 0, to: width, by: block) {
            for blockX in stride(from: 0, to: height, by: block) {
                let count = min(block, height - blockX)
                let firstRow = unsafe rowPointer(mirroringRows ? height - 1 - blockX : blockX)
                for y in blockY..<min(blockY + block, width) {
                    let target = unsafe turned.rowPointer(y) + blockX
                    let source = unsafe firstRow + (mirroringColumns ? width - 1 - y : y)
                    for x in 0..<count { unsafe target[x] = source[x &* step] }
                }
            }
        }
        return turned
    }
}
