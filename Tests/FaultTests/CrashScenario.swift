import Failpoints
import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// How a worker is brought to one failpoint, where it is killed or freezes, and which attempt of its job
/// succeeds.
struct CrashScenario {
    /// What happens to the worker until it dies.
    enum Way {
        /// The job waits when the worker starts.
        case jobWaits
        /// The job comes while the worker sleeps in Redis.
        case jobComes
        /// The job comes when the worker is dead.
        case jobComesTooLate
        /// The job waits, and its output cannot be written at first.
        case jobIsRetried
        /// The job waits, and can never succeed.
        case jobIsBuried
        /// The worker is told to stop when its job is done.
        case stopsIdle
        /// The worker is told to give back at once what it holds.
        case stopsBusy
        /// Another worker died with the job in its list before.
        case predecessorDied
        /// The same, and its lease was deleted, so that only a sweep finds the list.
        case predecessorForgotten
    }

    let failpoint: Failpoint
    let way: Way
    /// The attempt that settles the job: crashes before it count, what was given back does not.
    let attempt: Int
    /// How often the failpoint is passed unharmed.
    var passes = 0
    /// Another failpoint at which a step is parked, so that nothing else happens meanwhile.
    var parked: Failpoint?
    var unfinishedFiles = 0

    init(for failpoint: Failpoint) {
        self.failpoint = failpoint
        switch failpoint {
        case .started, .beforeClaim, .afterFinish: (way, attempt) = (.jobWaits, 1)
        case .afterClaim, .parsed, .inspected, .admitted, .read, .rendered, .renamed, .beforeFinish:
            (way, attempt) = (.jobWaits, 2)
        case .fileWritten:
            (way, attempt) = (.jobWaits, 2)
            unfinishedFiles = 1
        case .beforeWait: (way, attempt) = (.jobComesTooLate, 1)
        case .afterWait: (way, attempt) = (.jobComes, 2)
        case .beforeRetry, .afterRetry: (way, attempt) = (.jobIsRetried, 2)
        case .beforePromote, .afterPromote:
            (way, attempt) = (.jobIsRetried, 2)
            parked = .beforeWait
        case .beforeBury: (way, attempt) = (.jobIsBuried, 2)
        case .afterBury: (way, attempt) = (.jobIsBuried, 1)
        case .beforeRenew, .afterRenew:
            (way, attempt) = (.jobWaits, 2)
            (passes, parked) = (2, .rendered)
        case .beforeReclaim, .afterReclaim:
            (way, attempt) = (.predecessorDied, 2)
            parked = .beforeWait
        case .beforeSweep, .afterSweep:
            (way, attempt) = (.predecessorForgotten, 2)
            parked = .beforeWait
        case .draining, .givingBack, .beforeRelease:
            (way, attempt) = (.stopsBusy, 2)
            parked = .read
        case .afterRelease:
            (way, attempt) = (.stopsBusy, 1)
            parked = .read
        case .beforeDeregister, .afterDeregister: (way, attempt) = (.stopsIdle, 1)
        }
    }

    var isBuried: Bool { way == .jobIsBuried }

    /// The job that the crash meets, and others that must not notice.
    static let jobs = [
        #"{"source":"a.jpg","pt":"60x60","scale":[1,2],"id":"met","output":"folder/met.jpg"}"#,
        #"{"source":"b.jpg","pt":"50x40","scale":2,"id":"other"}"#,
        #"{"source":"c.jpg","pt":"70x70","scale":1,"id":"third"}"#,
    ]
    static let pictures = [
        "a.jpg": "landscape-420.jpg", "b.jpg": "portrait-orientation-6.jpg", "c.jpg": "landscape-grey.jpg",
    ]

    /// What a run without faults writes.
    static let thumbnails = Task {
        let fleet = try await TestFleet(pictures: pictures)
        for job in jobs { try await fleet.push(job) }
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        return try fleet.thumbnails()
    }

    enum Fate: String {
        case kill
        /// Comes back when it gets SIGCONT.
        case stop
    }

    /// Returns the worker once it has met its fate at the failpoint. The job that it meets is pushed, no other.
    func bring(_ fate: Fate, in fleet: TestFleet) async throws -> ChildProcess {
        let obstacle = fleet.output + "/folder"
        var job = Self.jobs[0]
        switch way {
        case .jobIsBuried: job.replace("a.jpg", with: "missing.jpg")
        case .jobIsRetried:
            try FileManager.default.createDirectory(
                atPath: fleet.output, withIntermediateDirectories: true)
            try Data([0]).write(to: URL(filePath: obstacle))
        case .predecessorDied, .predecessorForgotten:
            try await fleet.push(job)
            await expectDeath(of: try fleet.worker(environment: environment("after-claim=kill")))
            if way == .predecessorForgotten {
                _ = try await fleet.client.call(RedisCommand("DEL", fleet.keys.workers))
            }
        case .jobWaits, .jobComes, .jobComesTooLate, .stopsIdle, .stopsBusy: break
        }
        let isPushedAtOnce = ![.jobComes, .jobComesTooLate, .predecessorDied, .predecessorForgotten].contains(
            way)
        if isPushedAtOnce { try await fleet.push(job) }
        let order =
            "\(failpoint.rawValue)=\(fate.rawValue)@\(passes + 1)"
            + (parked.map { ",\($0.rawValue)=hang" } ?? "")
        // What is parked never ends by itself.
        let worker = try fleet.worker(
            ["--drain-timeout", parked == nil ? "25s" : "0s"], environment: environment(order))
        switch way {
        case .jobComes:
            try await fleet.untilAsleep(worker)
            try await fleet.push(job)
        case .stopsIdle:
            _ = try await fleet.results(1)
            worker.send(15)
        case .stopsBusy:
            try await eventually("the job to be parked") {
                worker.standardError.contains("failpoint read: hang") ? () : nil
            }
            worker.send(15)
        case .jobWaits, .jobComesTooLate, .jobIsRetried, .jobIsBuried, .predecessorDied,
            .predecessorForgotten:
            break
        }
        try await eventually("the failpoint to be reached") {
            worker.standardError.contains("failpoint \(failpoint.rawValue): \(fate.rawValue)") ? () : nil
        }
        if fate == .kill { await expectDeath(of: worker) }
        if way == .jobComesTooLate { try await fleet.push(job) }
        if way == .jobIsRetried { try FileManager.default.removeItem(atPath: obstacle) }
        return worker
    }

    /// Works everything off, as any other worker would.
    func recover(in fleet: TestFleet) async throws {
        for job in Self.jobs.dropFirst() { try await fleet.push(job) }
        let heir = try fleet.worker(["--drain"], environment: environment(nil))
        let exit = await heir.wait(atMost: .seconds(40))
        #expect(exit == .status(0), "\(heir.standardError)")
    }

    private func expectDeath(of worker: ChildProcess) async {
        let exit = await worker.wait(atMost: .seconds(20))
        #expect(exit == .signal(9), "\(worker.standardError)")
    }

    /// A lease that is soon over.
    private func environment(_ failpoints: String?) -> [String: String] {
        ["THUMBNAIL_TEST_LEASE_MS": "2000"].merging(failpoints.map { ["THUMBNAIL_FAILPOINT": $0] } ?? [:]) {
            $1
        }
    }
}
