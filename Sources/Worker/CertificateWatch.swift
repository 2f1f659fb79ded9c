import EventLog
import Redis
import Threading

/// Notices that certificates were renewed in a way that cannot be used. Connections go on with the files from before,
/// so nothing else would tell until those expire or somebody starts the worker anew.
struct CertificateWatch: Sendable {
    let redis: RedisAddress
    /// A folder that hangs answers no look.
    let files: BlockingThreads
    let log: EventLog

    /// Between two looks.
    static let pace = Duration.seconds(5)

    /// Tells once of each problem and once of its end, until the task is cancelled.
    func run() async {
        guard !redis.filePlaces.isEmpty else { return }
        var (seen, told): (RedisError?, RedisError?)
        while true {
            do { try await Task.sleep(for: Self.pace) } catch { return }
            let problem = await files.run { [redis] () -> RedisError? in
                do throws(RedisError) { try redis.readFiles() } catch { return error }
                return nil
            }
            // Seen twice: a certificate may be there a moment before its key.
            if let problem, problem == seen, problem != told {
                log.warning(
                    "redis.certificates_unusable",
                    [
                        "error": .text(of: problem),
                        "do": "put files in place that fit together: no worker can start with these",
                    ])
                told = problem
            } else if problem == nil, told != nil {
                log.info("redis.certificates_usable")
                told = nil
            }
            seen = problem
        }
    }
}
