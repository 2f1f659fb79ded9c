/// A colour profile as it stands in a JPEG: cut into chunks, each in a segment of its own.
public enum ICCProfile {
    /// The chunk number is one byte, and 0 is not used.
    public static let mostChunks = 255
    /// What fits in a segment beside its length, the name and the chunk's two numbers.
    public static let largestChunk = 65535 - 2 - 14

    /// The profile, byte for byte; nil when there is none or its chunks do not make up one
    /// (a gap, a duplicate, a number above the total): then `header.iccChunks` is not empty, and
    /// the note `.brokenICCProfileDropped` is due.
    public static func assemble(_ header: JPEGHeader, in bytes: Span<UInt8>) -> [UInt8]? {
        guard let total = header.iccChunks.first?.total, header.iccChunks.count == Int(total) else {
            return nil
        }
        let chunks = header.iccChunks.sorted { $0.sequence < $1.sequence }
        for (index, chunk) in chunks.enumerated() {
            guard chunk.total == total, Int(chunk.sequence) == index + 1,
                chunk.range.upperBound <= bytes.count
            else { return nil }
        }
        var profile: [UInt8] = []
        // Up to 16 MB: an array that grows by doubling would hold three times as much.
        profile.reserveCapacity(header.profileBytes)
        for chunk in chunks { for position in chunk.range { profile.append(bytes[position]) } }
        return profile.isEmpty ? nil : profile
    }
}

extension JPEGHeader {
    /// The length of the colour profile that the chunks make up, if they do.
    public var profileBytes: Int { iccChunks.reduce(0) { $0 + $1.range.count } }
}
