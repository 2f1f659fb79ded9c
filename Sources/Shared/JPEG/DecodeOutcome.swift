/// How a decode ended.
public struct DecodeOutcome: Hashable, Sendable {
    public let condition: Condition
    /// Oddities met while decoding; those of the header are in `JPEGHeader.notes`.
    public let notes: Set<JPEGHeader.Note>
    public let scans: Int
    /// The most bytes that the decoder held at a time, by its own count.
    public let allocatedBytes: Int

    public enum Condition: Hashable, Sendable {
        /// Every sample is what the encoder wrote.
        case complete
        /// Picture data ends too early. Rows are those of the stored, full-size picture, counted
        /// from the top.
        ///
        /// In a multi-scan file a row is good only when every scan reached it, so a file that ends
        /// before its last scan has no good rows, although a coarse picture can be shown.
        case truncated(rowsGood: Int, of: Int)
        /// Picture data that cannot be what the encoder wrote; the rows as above.
        case damaged(rowsGood: Int, of: Int)
    }
}

/// What to do when picture data turns out to be damaged or cut off.
public enum DamagePolicy: Hashable, Sendable {
    /// Stop at the first damage: no work for a picture that will not be used.
    case stop
    /// Deliver every row, the damaged ones as libjpeg fills them.
    case carryOn
}

/// A row callback's answer.
public enum RowAnswer: Hashable, Sendable {
    case more
    /// Enough rows: the decode ends without an error and says what it found so far.
    case enough
}
