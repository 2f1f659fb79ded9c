import FoundationEssentials
import Geometry
import JobQueue
import ProgramOptions
import PictureFormats
import Testing

@testable import Enqueue

private func job(_ source: String, scales: [Double] = [3], quality: Int? = nil, batch: String? = nil) throws
    -> String
{
    let template = JobTemplate(
        pointSize: try PointSize("120x533.4"), scales: scales, quality: quality, batch: batch)
    return String(decoding: template.job(source: source), as: UTF8.self)
}

@Test func `a job says what was asked for and nothing else`() throws {
    #expect(try job("albums/a.jpg") == #"{"source":"albums/a.jpg","pt":"120x533.4","scale":3}"#)
    #expect(
        try job("a", scales: [1, 2.5], quality: 90, batch: "b\"1")
            == #"{"source":"a","pt":"120x533.4","scale":[1,2.5],"quality":90,"batch":"b\"1"}"#)
}

@Test func `whatever a file is called, its job is JSON that names it`() throws {
    struct Source: Decodable {
        let source: String
    }
    let names = [
        "quote\".jpg", "back\\slash", "new\nline", "tab\t\u{1}\u{1F}\u{7F}", "ä 日本 👩‍👩‍👧", "\u{2028}", "e\u{301}",
        "\u{10FFFF}",
    ]
    for name in names {
        let source = try JSONDecoder().decode(Source.self, from: Data(try job(name).utf8)).source
        #expect(Array(source.unicodeScalars) == Array(name.unicodeScalars))
    }
}

@Test func `the summary as JSON has the promised keys`() {
    var summary = EnqueueSummary(batch: "b1", enqueued: 3)
    #expect(summary.json == #"{"batch":"b1","enqueued":3,"skipped":0}"#)
    summary.skip(.noPicture)
    summary.skip(.otherFormat(.png))
    summary.outcome = .init(finished: 1, failed: 2, errors: ["truncated_image": 1, "damaged_image": 1])
    #expect(
        summary.json == #"{"batch":"b1","enqueued":3,"skipped":2,"finished":1,"failed":2,"#
            + #""errors":{"damaged_image":1,"truncated_image":1}}"#)
}

@Test func `the summary for people has the most frequent first`() {
    var summary = EnqueueSummary(batch: "b1", enqueued: 1)
    #expect(summary.pushedText == "enqueued 1 job as batch b1")
    for reason in [SkipReason.otherFormat(.png), .noPicture, .noPicture, .nameIsNoText] {
        summary.skip(reason)
    }
    #expect(
        summary.pushedText == """
            enqueued 1 job as batch b1
            skipped 4: 2 no picture, 1 in png format, 1 with a name that is no UTF-8
            """)
    let outcome = EnqueueSummary.Outcome(
        finished: 5, failed: 4, errors: ["damaged_image": 1, "truncated_image": 2, "of_tomorrow": 1],
        took: .seconds(90))
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.first == "finished 5, failed 4 in 1 m 30 s")
    #expect(
        lines.dropFirst().map { $0.prefix { $0 != ":" } } == [
            "  2  truncated_image", "  1  damaged_image", "  1  of_tomorrow",
        ])
}

@Test func `every error code has advice of its own`() {
    let unknown = FailureAdvice.advice(for: "of_tomorrow")
    let advice = ErrorCode.allCases.map { FailureAdvice.advice(for: $0.rawValue) }
    #expect(Set(advice).count == advice.count && !advice.contains(unknown))
}

@Test func `commands to copy survive a shell and show no password`() throws {
    func steps(_ arguments: [String]) throws -> NextSteps {
        NextSteps(try request(arguments + ["--batch", "it's"]))
    }
    let near = try steps(["--dir", "my photos"])
    #expect(near.startWorker == "worker --source-root 'my photos' --output thumbs")
    #expect(near.seeBatch == #"fleet batch 'it'\''s'"#)
    let far = try steps([
        "--files-from", "-", "--relative-to", "/mnt", "--queue", "q", "--redis", "redis://me:geheim@h:7/2",
    ])
    #expect(far.startWorker == "worker --source-root /mnt --output thumbs --queue q")
    #expect(far.seeBatch.hasSuffix(" --queue q"))
}

@Test func `the rate is that of the last seconds`() {
    var rate = ProgressRate()
    #expect(rate.jobsPerSecond == nil)
    rate.note(0, at: .zero)
    #expect(rate.jobsPerSecond == nil)
    rate.note(0, at: .seconds(60))
    #expect(rate.jobsPerSecond == 0)
    #expect(rate.timeLeft(Progress(total: 10)) == nil)
    for second in 1...30 { rate.note(second * 100, at: .seconds(60 + second)) }
    #expect(rate.jobsPerSecond == 100)
    #expect(rate.timeLeft(Progress(finished: 2_900, failed: 100, total: 4_000)) == .seconds(10))
    #expect(rate.timeLeft(Progress(finished: 5_000, total: 4_000)) == .zero)
}

@Test func `the end of a short batch is seen soon, and a long one asks Redis four times a second`() {
    let looks = sequence(first: Duration.zero) { $0 + BatchFollower.pause(after: $0) }
    let firstTwoSeconds = looks.prefix { $0 < .seconds(2) }
    #expect(firstTwoSeconds.count < 40)
    for (one, next) in zip(firstTwoSeconds, firstTwoSeconds.dropFirst()) where next > .milliseconds(80) {
        #expect(next - one <= next / 4)
    }
    #expect(BatchFollower.pause(after: .seconds(60)) == .milliseconds(250))
}

@Test func `a bar shows how far, how fast and how long`() {
    var rate = ProgressRate()
    rate.note(0, at: .zero)
    rate.note(1_234, at: .seconds(4))
    let progress = Progress(finished: 1_231, failed: 3, total: 2_936)
    #expect(
        ProgressText.bar(progress, rate, width: 80)
            == "[█████████████                  ]   42 %  1234/2936  3 failed  309/s  5.5 s left")
    #expect(
        ProgressText.line(progress, rate)
            == "1234 of 2936 jobs settled (42 %), 3 failed, 309 jobs a second, 5.5 s left")
}

@Test(arguments: [0, 1, 10, 20, 30, 40, 80, 200])
func `a bar is never wider than its terminal`(width: Int) {
    var rate = ProgressRate()
    rate.note(0, at: .zero)
    rate.note(7, at: .seconds(1))
    for settled in stride(from: 0, through: 1_100, by: 7) {
        let progress = Progress(finished: settled, failed: settled / 3, total: 1_000)
        #expect(ProgressText.bar(progress, rate, width: width).count <= width)
    }
}

@Test func `an empty batch and a finished one are complete`() {
    #expect(ProgressText.line(Progress(total: 0), ProgressRate()) == "0 of 0 jobs settled (100 %)")
    #expect(
        ProgressText.line(Progress(finished: 5, total: 5), ProgressRate()) == "5 of 5 jobs settled (100 %)")
    #expect(Progress(total: 0).isComplete)
    #expect(!Progress(finished: 4, total: 5).isComplete)
    #expect(
        ProgressText.bar(Progress(finished: 5, total: 5), ProgressRate(), width: 40).hasPrefix(
            "[██████████████████"))
}
