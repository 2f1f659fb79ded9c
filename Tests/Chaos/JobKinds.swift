import JobQueue
import TestSupport

/// The pictures and the jobs of a run.
enum JobKinds {
    /// What the good jobs are made of: small, and of every coding.
    static let pictures = [
        "landscape-420.jpg", "portrait-422.jpg", "square-444.jpg", "landscape-progressive.jpg",
        "landscape-grey.jpg", "landscape-restarts.jpg", "orientation-6.jpg", "cmyk-adobe.jpg",
        "sampling-411.jpg", "lossless-rgb.jpg",
    ]
    static let truncated = "cut-half.jpg"
    /// Takes long enough to decode that a worker is hit in the middle of it.
    static let slow = "slow.jpg"
    /// A picture like any other, but workers die under it.
    static let poison = "poison.jpg"
    /// A file where an output wants a folder.
    static let inTheWay = "in-the-way"

    /// In a thousand jobs.
    private static let shares: [(Ledger.Kind, Int)] = [
        (.truncated, 15), (.missing, 15), (.slow, 10), (.rubbish, 10), (.notUTF8, 5), (.newerVersion, 3),
        (.unwritable, 2), (.poison, 1),
    ]

    static func draw(using random: inout SplitMix) -> Ledger.Kind {
        var number = Int.random(in: 0..<1000, using: &random)
        for (kind, share) in shares {
            number -= share
            if number < 0 { return kind }
        }
        return .good
    }

    /// Where a good job's thumbnail goes.
    static func output(of id: String) -> String { "done/\(id).jpg" }

    /// The picture that a good or slow job asks for: the id says which.
    static func picture(of id: String, _ kind: Ledger.Kind) -> String {
        if kind == .slow { return slow }
        return pictures[(id.split(separator: "-").last.flatMap { Int($0) } ?? 0) % pictures.count]
    }

    /// The bytes that a producer pushes.
    static func bytes(_ kind: Ledger.Kind, id: String) -> [UInt8] {
        func job(_ source: String, _ more: String = "") -> [UInt8] {
            Array(#"{"source":"\#(source)","pt":"60x60","scale":2,"id":"\#(id)"\#(more)}"#.utf8)
        }
        return switch kind {
        case .good, .slow: job(picture(of: id, kind), #","output":"\#(output(of: id))""#)
        case .truncated: job(truncated)
        case .missing: job("no-such-\(id).jpg")
        case .unwritable: job(pictures[0], #","output":"\#(inTheWay)/\#(id).jpg""#)
        case .poison: job(poison)
        case .newerVersion: job(pictures[0], #","v":2"#)
        case .rubbish: Array("{\"source\":\(id)".utf8)
        case .notUTF8: Array("{\"source\":\"".utf8) + [0xff, 0xfe, 0x00] + Array("\(id)\"}".utf8)
        }
    }

    /// What is published under: of rubbish, what is derived from its bytes.
    static func publishedID(_ kind: Ledger.Kind, id: String) -> String {
        Job.read(bytes(kind, id: id)).ticket.id
    }
}
