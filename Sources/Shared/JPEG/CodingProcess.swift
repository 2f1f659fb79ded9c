/// How the samples were coded, as the frame header's marker (SOF0…SOF15) says.
public struct CodingProcess: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case baseline, extended, progressive, lossless }

    public let kind: Kind
    /// Arithmetic entropy coding; Huffman otherwise.
    public let isArithmetic: Bool
    /// One frame of a hierarchical picture, stored as a difference.
    public let isDifferential: Bool

    /// The process behind marker `FF sof`; nil when that is no frame header.
    init?(startOfFrame sof: UInt8) {
        // DHT, JPG and DAC share the range of the frame headers.
        guard sof & 0xF0 == 0xC0, sof != 0xC4, sof != 0xC8, sof != 0xCC else { return nil }
        kind =
            switch sof & 3 {
            case 0: .baseline
            case 1: .extended
            case 2: .progressive
            default: .lossless
            }
        isArithmetic = sof & 8 != 0
        isDifferential = sof & 4 != 0
    }
}

extension CodingProcess: CustomStringConvertible {
    public var description: String {
        let name =
            switch kind {
            case .baseline: "baseline"
            case .extended: "extended sequential"
            case .progressive: "progressive"
            case .lossless: "lossless"
            }
        return (isDifferential ? "hierarchical " : "") + name + (isArithmetic ? ", arithmetic" : "")
    }
}
