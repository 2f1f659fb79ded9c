import TestSupport
import Testing

@testable import Chaos

/// `make chaos` runs longer, with another seed each time.
@Suite struct ChaosTests {
    @Test func `a seed gives the same weather again, with everything in it`() {
        let weather = Weather(seed: 7, length: .seconds(60), workers: 3)
        #expect(weather.fronts == Weather(seed: 7, length: .seconds(60), workers: 3).fronts)
        #expect(weather.fronts != Weather(seed: 8, length: .seconds(60), workers: 3).fronts)
        let kinds = Set(weather.fronts.map(\.event.kind))
        #expect(kinds == Set(Event.Kind.allCases), "missing: \(Set(Event.Kind.allCases).subtracting(kinds))")
        #expect(weather.fronts.allSatisfy { (0..<3).contains($0.event.worker) })
    }

    @Test func `Redis is away for one reason at a time`() {
        for seed in 0..<50 as Range<UInt64> {
            let fronts = Weather(seed: seed, length: .seconds(300), workers: 5).fronts
            let outages = fronts.filter(\.event.kind.takesRedisAway)
            for (one, next) in zip(outages, outages.dropFirst()) {
                #expect(one.start + one.event.length < next.start, "seed \(seed): \(one) and \(next)")
            }
        }
    }

    @Test func `five thousand jobs outlive half a minute in which everything goes wrong`() async throws {
        var settings = ChaosRun.Settings(seed: 1, programs: [BuiltProgram.path("worker")])
        settings.jobs = 5_000
        let verdict = try await ChaosRun(settings) { print("chaos: " + $0) }.run()
        #expect(verdict.problems == [], "\(verdict)")
    }
}
