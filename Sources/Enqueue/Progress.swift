import Units

/// How far a batch is, as numbers.
struct Progress: Equatable {
    var finished = 0
    var failed = 0
    var total: Int

    var settled: Int { finished + failed }
    var isComplete: Bool { settled >= total }
}

/// How fast jobs are settled, over the last seconds: a rate since the start would remember for ever that
/// the workers came late.
struct ProgressRate {
    /// Long enough to smooth over single large jobs, short enough to follow workers that join.
    static let window = Duration.seconds(15)

    private var samples: [(at: Duration, settled: Int)] = []

    /// Notes that `settled` jobs were settled `at` this time since the start.
    mutating func note(_ settled: Int, at time: Duration) {
        samples.append((time, settled))
        // One sample older than the window is kept: the window then always spans from it.
        while samples.count > 2, samples[1].at <= time - Self.window { samples.removeFirst() }
    }

    /// Jobs a second; nil before anything can be said.
    var jobsPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
        return Double(last.settled - first.settled) / ((last.at - first.at) / .seconds(1))
    }

    /// How long the rest will take at this rate; nil when it would take for ever or nothing can be said.
    func timeLeft(_ progress: Progress) -> Duration? {
        guard let rate = jobsPerSecond, rate > 0 else { return nil }
        return .seconds(Double(max(0, progress.total - progress.settled)) / rate)
    }
}

/// Writes progress for people: a bar that is drawn over itself on a terminal, sentences elsewhere.
enum ProgressText {
    /// One line of exactly `width` columns or fewer, without a newline:
    /// `[████████▌           ]  42 %  1234/2936  3 failed  310/s  5 s left`.
    static func bar(_ progress: Progress, _ rate: ProgressRate, width: Int) -> String {
        let numbers = facts(progress, rate, short: true).joined(separator: "  ")
        let room = width - numbers.count - 4
        guard room >= 8 else { return String(numbers.prefix(max(0, width))) }
        let cells = min(room, 40)
        return "[\(filled(fraction(progress), cells: cells))]  \(numbers)"
    }

    /// One sentence: `1234 of 2936 jobs settled (42 %), 3 failed, 310 jobs a second, 5 s left`.
    static func line(_ progress: Progress, _ rate: ProgressRate) -> String {
        facts(progress, rate, short: false).joined(separator: ", ")
    }

    private static func facts(_ progress: Progress, _ rate: ProgressRate, short: Bool) -> [String] {
        let percent = "\(Int(fraction(progress) * 100)) %"
        var facts =
            short
            ? [
                String(repeating: " ", count: max(0, 5 - percent.count)) + percent,
                "\(progress.settled)/\(progress.total)",
            ]
            : ["\(progress.settled) of \(progress.total) jobs settled (\(percent))"]
        if progress.failed > 0 { facts.append("\(progress.failed) failed") }
        if let speed = rate.jobsPerSecond { facts.append(decimal(speed) + (short ? "/s" : " jobs a second")) }
        if !progress.isComplete, let left = rate.timeLeft(progress) { facts.append("\(left.shortText) left") }
        return facts
    }

    private static func fraction(_ progress: Progress) -> Double {
        // An empty batch is done.
        progress.total > 0 ? min(1, Double(progress.settled) / Double(progress.total)) : 1
    }

    /// Eighths of a cell, so that also a long batch is seen to move.
    private static func filled(_ fraction: Double, cells: Int) -> String {
        let eighths = Int(fraction * Double(cells * 8))
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let full = String(repeating: "█", count: eighths / 8) + partial
        return full + String(repeating: " ", count: cells - full.count)
    }

    /// One decimal below ten, none above.
    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
    }
}
