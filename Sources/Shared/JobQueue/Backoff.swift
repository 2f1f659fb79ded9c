/// Pauses between the attempts of a job: exponential with full jitter, so that jobs which failed
/// together do not come back together.
public struct Backoff: Sendable, Equatable {
    /// Upper bound of the first pause, and of every pause.
    public var base = Duration.seconds(1)
    public var cap = Duration.seconds(60)

    public init() {}

    /// A pause between zero and `base · 2^(failures − 1)`, at most `cap`. `failures` starts at 1.
    public func delay(
        afterFailures failures: Int, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        precondition(failures >= 1, "a pause follows a failure")
        // 2^20 s is beyond any cap worth having.
        let bound = min(cap, base * (1 << min(failures - 1, 20)))
        return bound * Double.random(in: 0..<1, using: &generator)
    }
}
