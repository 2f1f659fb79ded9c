import Metrics
import Testing

struct HistogramTests {
    @Test func `values on a bound belong to it, and what is no number is not counted`() {
        var histogram = Histogram(bounds: [1, 2])
        for value in [1, 1.5, 2, 2.5, -1, .nan, .infinity] { histogram.observe(value) }
        #expect(histogram.count == 5 && histogram.sum == 6)
        var family = MetricFamily("a", .histogram, "")
        family.add(histogram)
        let lines = Exposition.text(of: [family]).split(separator: "\n").dropFirst(2)
        #expect(
            Array(lines) == [
                #"a_bucket{le="1"} 2"#, #"a_bucket{le="2"} 4"#, #"a_bucket{le="+Inf"} 5"#, "a_sum 6",
                "a_count 5",
            ])
    }

    /// What `promtool` and every query over buckets take for granted.
    @Test func `buckets never shrink from one bound to the next, and the last one counts all`() {
        var histogram = Histogram(bounds: [0.001, 0.1, 10, 1_000])
        for step in 0..<1_000 { histogram.observe(Double(step * step) / 97) }
        var family = MetricFamily("a", .histogram, "")
        family.add(histogram)
        let buckets = Exposition.text(of: [family]).split(separator: "\n")
            .filter { $0.hasPrefix("a_bucket") }.compactMap {
                $0.split(separator: " ").last.flatMap { Int($0) }
            }
        #expect(buckets.count == 5 && buckets == buckets.sorted() && buckets.last == 1_000)
    }
}
