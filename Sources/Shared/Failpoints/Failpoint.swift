/// A step on the way of a job, of a lease or of a shutdown at which a test can end, stop or park a worker:
/// between any two of them lies a gap in which a crash must lose nothing.
///
/// Exists in debug builds only; in release builds reaching one is nothing at all.
public enum Failpoint: String, Sendable, CaseIterable {
    /// The worker has said that it starts, and done nothing yet.
    case started

    // For each script of the queue: its request is about to be sent, its answer has come.
    case beforeClaim = "before-claim"
    case afterClaim = "after-claim"
    case beforeFinish = "before-finish"
    case afterFinish = "after-finish"
    case beforeRetry = "before-retry"
    case afterRetry = "after-retry"
    case beforeBury = "before-bury"
    case afterBury = "after-bury"
    case beforeRelease = "before-release"
    case afterRelease = "after-release"
    case beforeRenew = "before-renew"
    case afterRenew = "after-renew"
    case beforeReclaim = "before-reclaim"
    case afterReclaim = "after-reclaim"
    case beforeSweep = "before-sweep"
    case afterSweep = "after-sweep"
    case beforePromote = "before-promote"
    case afterPromote = "after-promote"
    case beforeDeregister = "before-deregister"
    case afterDeregister = "after-deregister"

    /// Around the blocking move; after it only when it brought a job.
    case beforeWait = "before-wait"
    case afterWait = "after-wait"

    // What happens to a claimed job, in this order.
    case parsed
    case inspected
    case admitted
    case read
    case rendered
    /// A thumbnail is complete under its temporary name.
    case fileWritten = "file-written"
    /// All thumbnails of the job are in place.
    case renamed

    /// Told to stop: claiming ends now.
    case draining
    /// Told to give back what runs.
    case givingBack = "giving-back"
}
