import JobQueue
import Redis
import TestSupport
import Testing

/// Whether the audit tells the truth when somebody has deleted keys.
struct AuditTests {
    @Test func `jobs whose list somebody deleted are missing at once, and stay missing`() async throws {
        let (fleet, worker) = (try await Fleet(), "w1")
        for name in ["a", "b", "c"] { try await fleet.push(job(name)) }
        _ = try await fleet.worker(worker).claim(limit: 3)
        _ = try await fleet.worker(worker).finish(ticket(job("a")), done(ticket(job("a"))))
        #expect(try await fleet.operators.audit().missing == 0)
        _ = try await fleet.client.call(RedisCommand("DEL", "{q}:worker:w1"))
        let audit = try await fleet.operators.audit()
        #expect(audit.missing == 2 && audit.taken == 3, "\(audit)")
        #expect(try await fleet.worker(worker).finish(ticket(job("b")), done(ticket(job("b")))) == .stale)
        #expect(try await fleet.operators.audit().missing == 2)
    }

    @Test func `a job that a blocking move took is nobody's loss`() async throws {
        let fleet = try await Fleet()
        for name in ["a", "b"] { try await fleet.push(job(name)) }
        _ = try await fleet.worker().claim(limit: 1)
        _ = try await fleet.worker().wait(atMost: .seconds(1))
        let audit = try await fleet.operators.audit()
        #expect(audit.taken == 2 && audit.running == 2 && audit.missing == 0, "\(audit)")
    }
}
