import EventLog
import JobQueue
import ServiceManager
import Synchronization
import Threading
import Units

/// Tells the service manager how the worker is: that it works, that it stops, a line for `systemctl status`, and, as
/// long as the claim loop gets anywhere, that it lives.
final class ServiceNotices: Sendable {
    private struct Told: Sendable {
        var settled = 0
        var at = ContinuousClock.now
        var status = ""
        /// What the manager did not take when it was said, and must hear: without READY=1 systemd ends a service at
        /// its start time-out.
        var untold: [String] = []
    }

    private let manager: ServiceConnection
    private let told = Mutex(Told())

    /// Between two looks without a watchdog: how old the line of the status may be.
    private static let pace = Duration.seconds(5)

    /// - Parameter manager: where it listens.
    init(to manager: ServiceConnection) { self.manager = manager }

    /// Tells again and again, from a thread that no busy core delays, until the thread is stopped.
    func start(_ health: WorkerHealth, _ running: RunningJobs) -> PeriodicThread {
        // Twice in the time that a watchdog waits, as sd_watchdog_enabled(3) advises.
        let pace = min(Self.pace, manager.watchdog.map { $0 / 2 } ?? Self.pace)
        return PeriodicThread(name: "notices") { [self] in
            tell(health, running.counts)
            return pace
        }
    }

    /// The first claim was answered.
    func tellReady() { tell("READY=1") }

    /// Told to stop.
    func tellStopping() { tell("STOPPING=1") }

    /// Says it now, or with the next line of the status.
    private func tell(_ assignment: String) {
        told.withLock { told in
            told.untold.append(assignment)
            if manager.socket.send(told.untold) { told.untold = [] }
        }
    }

    private func tell(_ health: WorkerHealth, _ counts: RunningJobs.Counts) {
        let (alive, ready) = (health.isAlive, health.isReady)
        let now = ContinuousClock.now
        told.withLock { told in
            let settled = counts.finished + counts.failed
            let rate = Double(settled - told.settled) / max(0.001, (now - told.at) / .seconds(1))
            (told.settled, told.at) = (settled, now)
            let reason = alive.isGood ? ready.reason : alive.reason
            let status =
                "\(reason); \(counts.running) running, \(Self.decimal(rate)) jobs/s, \(counts.finished) finished, "
                + "\(counts.failed) failed"
            var lines = told.untold
            if status != told.status { lines.append("STATUS=" + status) }
            // A loop that is stuck starves the watchdog, although this thread goes on.
            if manager.watchdog != nil, alive.isGood { lines.append("WATCHDOG=1") }
            if lines.isEmpty || manager.socket.send(lines) { (told.status, told.untold) = (status, []) }
        }
    }

    private static func decimal(_ rate: Double) -> String { "\((rate * 10).rounded() / 10)" }
}

/// How the service manager is reached, and what it waits for.
struct ServiceConnection: Sendable {
    let socket: NotifySocket
    /// The longest silence that its watchdog allows; nil where none waits.
    let watchdog: Duration?

    /// Nil where nobody started this process as a service.
    init?(_ environment: [String: String]) throws(NotifyError) {
        guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
        socket = try NotifySocket(at: path)
        watchdog = WatchdogInterval.of(environment)
    }
}
