internal import Glibc

/// How often a service manager wants to hear that a service lives.
public enum WatchdogInterval {
    /// The longest silence that is allowed, from `$WATCHDOG_USEC`, if it is meant for the process `pid`
    /// (`$WATCHDOG_PID`; this one unless given); nil where no watchdog waits.
    public static func of(_ environment: [String: String], pid: Int32? = nil) -> Duration? {
        if let owner = environment["WATCHDOG_PID"], Int32(owner) != (pid ?? getpid()) { return nil }
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        return .microseconds(microseconds)
    }
}
