import Metrics
import Testing

/// The text that a scraper reads, byte by byte.
struct ExpositionTests {
    @Test func `every kind is written with its help, its type and its lines`() {
        var jobs = MetricFamily("jobs_total", .counter, "Jobs, by outcome.")
        jobs.add(3, [.init("outcome", "done"), .init("code", "")])
        jobs.add(0, [.init("outcome", "failed"), .init("code", "x")])
        var times = Histogram(bounds: [0.5, 1])
        for time in [0.25, 0.5, 0.75, 7] { times.observe(time) }
        var stages = MetricFamily("stage_seconds", .histogram, "Times.")
        stages.add(times, [.init("stage", "read")])
        #expect(
            Exposition.text(of: [
                jobs, MetricFamily("running", .gauge, "Now.", 1.5), stages,
                MetricFamily("unknown", .gauge, "Nothing is known.", nil),
            ]) == """
                # HELP jobs_total Jobs, by outcome.
                # TYPE jobs_total counter
                jobs_total{outcome="done",code=""} 3
                jobs_total{outcome="failed",code="x"} 0
                # HELP running Now.
                # TYPE running gauge
                running 1.5
                # HELP stage_seconds Times.
                # TYPE stage_seconds histogram
                stage_seconds_bucket{stage="read",le="0.5"} 2
                stage_seconds_bucket{stage="read",le="1"} 3
                stage_seconds_bucket{stage="read",le="+Inf"} 4
                stage_seconds_sum{stage="read"} 8.5
                stage_seconds_count{stage="read"} 4
                # HELP unknown Nothing is known.
                # TYPE unknown gauge

                """)
    }

    /// Whoever names a queue chooses a label's value: it must not become a line of its own.
    @Test func `labels and helps cannot break out of their line`() {
        var family = MetricFamily("a", .gauge, "one\\two\nthree \"four\"")
        family.add(1, [.init("queue", "q\"} 9\n# x\\ ä{")])
        #expect(
            Exposition.text(of: [family]) == #"""
                # HELP a one\\two\nthree "four"
                # TYPE a gauge
                a{queue="q\"} 9\n# x\\ ä{"} 1

                """#)
    }

    @Test(arguments: [
        (0.0, "0"), (-3, "-3"), (9_007_199_254_740_991, "9007199254740991"), (1e16, "1e+16"), (0.1, "0.1"),
        (0.00025, "0.00025"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
    func `numbers are written as the format has them`(value: Double, text: String) {
        #expect(
            Exposition.text(of: [MetricFamily("a", .gauge, "", value)])
                == "# HELP a \n# TYPE a gauge\na \(text)\n")
    }
}
