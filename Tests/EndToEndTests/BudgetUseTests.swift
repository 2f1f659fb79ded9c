import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// How much of its budget a worker makes use of, where memory is what it has least of.
struct BudgetUseTests {
    /// Photographs of two sizes on a disk that answers late: a job holds its memory while it reads. What is lost is
    /// what must be lost: a large picture is next and does not fit into what is free.
    @Test func `a worker with more to do than memory holds 85 hundredths of its budget on average`()
        async throws
    {
        let fleet = try await TestFleet()
        try fleet.write(Self.photograph(width: 4032, height: 3024, fileBytes: 3_000_000), to: "large.jpg")
        try fleet.write(Self.photograph(width: 1280, height: 960, fileBytes: 200_000), to: "small.jpg")
        for number in 0..<2_500 {
            let source = number % 4 == 0 ? "large.jpg" : "small.jpg"
            try await fleet.push(#"{"source":"\#(source)","pt":"120x120","scale":3,"id":"\#(number)"}"#)
        }
        let budget = 64 << 20
        let worker = try fleet.worker(
            ["--memory-budget", "\(budget)"],
            environment: [
                "LD_PRELOAD": BuiltProgram.path("libInterposer.so"), "INTERPOSER_READ_DELAY_MS": "300",
            ])
        let info = fleet.keys.info(of: try await fleet.id(of: worker))
        _ = try await fleet.results(50)
        // A machine that is busy with other things keeps a worker from what it could do: the best of some stretches.
        var uses: [Double] = []
        var looks = [try await Self.look(fleet, info, after: nil)]
        while uses.max() ?? 0 < 0.85, uses.count < 6 {
            looks.append(try await Self.look(fleet, info, after: looks.last))
            guard let (start, end) = Self.stretch(looks) else { continue }
            try #require(try await fleet.operators.audit().waiting > 0, "or it was not saturated to the end")
            let seconds = end.time.timeIntervalSince(start.time)
            uses.append((end.byteSeconds - start.byteSeconds) / seconds / Double(budget))
        }
        #expect(uses.max() ?? 0 >= 0.85 && uses.allSatisfy { $0 <= 1 }, "of the budget: \(uses)")
        await fleet.stop([worker])
        try await fleet.expectConservation()
    }

    /// What a renewal has told.
    private struct Look {
        let time: Date
        let byteSeconds: Double
    }

    /// From the last but two to the last: 5 s.
    private static func stretch(_ looks: [Look]) -> (start: Look, end: Look)? {
        looks.count < 3 ? nil : (looks[looks.count - 3], looks[looks.count - 1])
    }

    /// The first that is later than another.
    private static func look(_ fleet: TestFleet, _ info: String, after: Look?) async throws -> Look {
        try await eventually("a renewal") {
            let fields = try await KeySpace(of: fleet.client).hash(info)
            guard let sum = Double(fields["reserved_byte_seconds"] ?? ""), let seen = fields["seen_at"] else {
                return nil
            }
            let time = try Date(seen, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            let look = Look(time: time, byteSeconds: sum)
            return after.map { look.time > $0.time } ?? true ? look : nil
        }
    }

    /// A picture with as many bytes behind its end as a photograph of that size has in it: it is read like one, and
    /// decoded in no time, so that reading is what takes long.
    private static func photograph(width: Int, height: Int, fileBytes: Int) -> [UInt8] {
        let picture = FlatPicture.bytes(
            width: width, height: height, factors: [(2, 2), (1, 1), (1, 1)], isProgressive: false)
        return picture + [UInt8](repeating: 0, count: fileBytes - picture.count)
    }
}
