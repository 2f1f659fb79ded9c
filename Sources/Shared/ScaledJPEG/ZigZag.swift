/// The order in which a block's coefficients are stored.
enum ZigZag {
    /// Natural index (8 · v + u) of each zig-zag position.
    static let natural: [Int] = (0..<15).flatMap { diagonal -> [Int] in
        let cells = (0...diagonal).filter { $0 < 8 && diagonal - $0 < 8 }.map { 8 * $0 + diagonal - $0 }
        return diagonal % 2 == 0 ? cells.reversed() : cells
    }

    static func position(u: Int, v: Int) -> Int { natural.firstIndex(of: 8 * v + u) ?? 0 }

    /// The last zig-zag position that a k × k block needs: 0, 4, 12, 24 for k of 1 to 4.
    static func last(eighths k: Int) -> Int { position(u: k - 1, v: k - 1) }
}
