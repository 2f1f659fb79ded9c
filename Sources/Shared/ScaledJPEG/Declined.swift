/// Why a file is left to libjpeg-turbo. Never the last word on a picture: what is declined here is decoded,
/// or refused, there.
public enum Declined: Error, Hashable, Sendable {
    /// Legal, and not taken here: another coding process, precision, colour or layout.
    case unusual(Unusual)
    /// Not as the standard says, or cut off. libjpeg-turbo tells cosmetic faults from damage.
    case suspect(Suspect, offset: Int)
    /// `shouldStop` said so. The picture is not to be decoded at all.
    case stopped

    public enum Unusual: Hashable, Sendable {
        case process, precision, components, sampling, size, scale
        /// The height comes after the first scan (DNL), or tables change under a running scan.
        case layout
        /// A progressive script that sends bits out of order.
        case script
    }

    public enum Suspect: Hashable, Sendable {
        case segment, frame, table, scan
        /// A code that no symbol has, a coefficient out of range, bits left over.
        case entropy
        /// A restart marker that is missing or out of turn.
        case restart
        /// The file ends before the picture does.
        case cut
    }
}
