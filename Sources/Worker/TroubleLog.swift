import EventLog
import JobQueue
import ProgramOptions
import Redis
import Synchronization

/// Tells of trouble with Redis and what to do about it; of one that lasts, not each time.
final class TroubleLog: Sendable {
    private let log: EventLog
    private let advice: RedisAdvice
    private let reminder = Mutex(Reminder<[String]>())

    init(_ log: EventLog, advice: RedisAdvice) {
        self.log = log
        self.advice = advice
    }

    /// One line, if there was none like it for a while. For what comes again with every attempt.
    func note(_ event: StaticString, _ error: QueueError) {
        let cause = [event.description, error.description]
        guard reminder.withLock({ $0.isDue(cause, at: .now) }) else { return }
        log.error(event, fields(of: error))
    }

    /// One line.
    func tell(_ event: StaticString, _ error: QueueError, after length: Duration? = nil) {
        log.warning(event, fields(of: error, after: length))
    }

    private func fields(of error: QueueError, after length: Duration? = nil) -> LogFields {
        let text = LogValue.text(of: error)
        return switch (length, advice.hint(for: error)) {
        case (nil, nil): ["error": text]
        case (nil, let hint?): ["error": text, "do": .string(hint)]
        case (let length?, nil): ["error": text, "for_ms": .duration(length)]
        case (let length?, let hint?): ["error": text, "for_ms": .duration(length), "do": .string(hint)]
        }
    }
}

extension RedisAdvice {
    /// What an access list has to allow to a worker.
    private static let permissions = "+@read +@write +@scripting +@connection +time +info"

    init(_ options: WorkerOptions) {
        self.init(redis: options.redis, queue: options.queue, permissions: Self.permissions)
    }

    /// What to do, where the error does not say it.
    func hint(for error: QueueError) -> String? {
        if case .evicts = error { return "or start with --allow-eviction, and lose jobs when memory is full" }
        return advice(for: error)
    }
}
