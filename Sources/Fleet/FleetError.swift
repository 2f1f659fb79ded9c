import CommandLineOptions
import JobQueue
import ProgramOptions
import Redis
import Units

/// Why a command ends before its end.
enum FleetError: Error {
    case queue(QueueError)
    /// Nothing was ever pushed under this name, here; what was found instead.
    case noSuchQueue(OperatorQueue.Traces)
    /// No dead job has this id; where a job with it was found instead.
    case noSuchJob(String, elsewhere: OperatorQueue.Whereabouts?)
    case noSuchBatch(String)
    /// More than one job, nobody to ask, and no `--yes`.
    case needsConfirmation(String)

    var exitStatus: ExitStatus {
        switch self {
        case .queue(let error): ProgramOptions.exitStatus(for: error)
        case .noSuchQueue: .configuration
        case .noSuchJob, .noSuchBatch: .someJobsFailed
        case .needsConfirmation: .usage
        }
    }
}

extension FleetError: CustomStringConvertible {
    var description: String {
        switch self {
        case .queue(let error): error.description
        case .noSuchQueue: "nothing was ever pushed to this queue here, and no worker serves it"
        case .noSuchJob(let name, let elsewhere):
            "no dead job has the id “\(printable(name))”: "
                + (elsewhere.map(Self.sentence)
                    ?? "it was retried or discarded, cut off by the cap of the dead list, or never buried")
        case .noSuchBatch(let name):
            "no batch “\(printable(name))” is known: it was never enqueued here, or its last job settled a week ago"
        case .needsConfirmation(let what):
            "\(what): there is no terminal to ask on, so nothing was done"
        }
    }

    private static func sentence(_ elsewhere: OperatorQueue.Whereabouts) -> String {
        switch elsewhere {
        case .waiting(let ahead): "a job with it waits, \(count(ahead, "job")) before it"
        case .running(let worker): "a job with it runs now, on \(printable(worker))"
        case .delayed(let due, let isNewer):
            "a job with it is delayed "
                + (isNewer ? "for a worker that knows its version" : "and will be tried again")
                + (due > .zero ? ", due in \(due.shortText)" : ", due now")
        case .settled(let status): "a job with it was settled as \(printable(status)): see its result"
        }
    }

    /// What a person can do, one sentence a line.
    func advice(at place: QueuePlace, mayForce: Bool = false) -> [String] {
        switch self {
        case .queue(let error):
            let advice = RedisAdvice(
                redis: place.redis, queue: place.queue, permissions: Self.permissions)
            return (advice.advice(for: error).map { [$0] } ?? [])
                + ["the address \(place.redis) is from \(place.origin)"]
        case .noSuchQueue(let traces):
            return Self.sentences(traces, place)
                + (mayForce ? ["to do it before the first job, add --force"] : [])
        case .noSuchJob: return ["nothing was done; to see the dead jobs: \(place.line(["dead"]))"]
        case .noSuchBatch: return ["to see the batches: \(place.line(["batch"]))"]
        case .needsConfirmation: return ["to do it, add --yes; to look first, add --dry-run"]
        }
    }

    /// What an access list has to allow.
    private static let permissions =
        "+@read +@write +@scripting +@connection +time +info +config|get +client|list +client|unblock"

    private static func sentences(_ traces: OperatorQueue.Traces, _ place: QueuePlace) -> [String] {
        var sentences = ["looked for the queue “\(printable(place.queue))” at \(place.redis)"]
        for database in traces.databases {
            let there = place.redis.with(database: database)
            sentences.append(
                "database \(database) of this Redis has it: name it with --redis \(shellLine(["\(there)"]))")
        }
        if !traces.queues.isEmpty {
            let names = traces.queues.map { printable($0) }.joined(separator: ", ")
            sentences.append("queues that are here: \(names); name one with --queue NAME or THUMBNAIL_QUEUE")
        } else if traces.databases.isEmpty {
            sentences.append(
                "is this the Redis of your workers? name another with --redis URL or REDIS_URL; if it is, "
                    + "enqueue a job first")
        }
        return sentences
    }
}
