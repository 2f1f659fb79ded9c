import Thumbnails

/// Where the time of one attempt at a job goes, as far as it comes. A stage that it never entered has none.
///
/// A stage's time counts also where the stage fails: to an operator a read that ends with an error after half a
/// minute says more than a hundred that went well.
struct StageTimes: Sendable, Equatable {
    /// Waiting for memory, and for a core.
    var wait: Duration?
    var read: Duration?
    /// All that a core spent on a picture that came to nothing, since nobody knows how far it came.
    var decode: Duration?
    var resample: Duration?
    var encode: Duration?
    var write: Duration?

    static var now: ContinuousClock.Instant { .now }

    /// A picture was rendered whole.
    mutating func add(_ rendering: Rendering) {
        decode.extend(by: rendering.decodeTime)
        resample.extend(by: rendering.resampleTime)
        encode.extend(by: rendering.encodeTime)
    }
}

extension Duration? {
    /// One stage may be entered more than once, as when a picture turns out to need more memory.
    mutating func extend(by length: Duration) { self = (self ?? .zero) + length }

    mutating func extend(since start: ContinuousClock.Instant) { extend(by: StageTimes.now - start) }
}
