import CommandLineOptions
import JobQueue
import Units

struct DeadRequest: Sendable {
    let selection: DeadSelection
    let limit: Int

    init(_ values: OptionValues) throws(UsageError) {
        selection = try DeadSelection(values)
        limit = values[FleetOptions.deadLimit]
    }
}

/// `fleet dead`: what failed for good, as a list, or named jobs whole.
struct DeadCommand {
    private let queue: OperatorQueue
    private let place: QueuePlace
    private let console: Console
    private let request: DeadRequest

    init(_ queue: OperatorQueue, _ place: QueuePlace, _ console: Console, _ request: DeadRequest) {
        (self.queue, self.place, self.console, self.request) = (queue, place, console, request)
    }

    func run() async throws(FleetError) -> ExitStatus {
        let now = try await asking { () throws(QueueError) in try await queue.now() }
        var jobs: [DeadJob] = []
        var isCut = false
        try await request.selection.forEach(in: queue) { job in
            isCut = jobs.count == request.limit
            if !isCut { jobs.append(job) }
            return !isCut
        }
        if place.printsJSON {
            for job in jobs { console.say(job.json(now: now).text) }
        } else if !request.selection.names.isEmpty {
            var texts: [String] = []
            for job in jobs { texts.append(try await whole(job, now: now)) }
            console.say(texts.joined(separator: "\n\n"))
        } else if jobs.isEmpty {
            console.say(request.selection.isFiltered ? "no dead job is like this" : "no dead job")
        } else {
            showTable(jobs, now: now)
            if isCut {
                console.complain("these are the newest \(grouped(jobs.count)); there are more: --limit N")
            }
        }
        return .done
    }

    private func whole(_ job: DeadJob, now: Int64) async throws(FleetError) -> String {
        // Where the machine is still known, whoever looks for a mount or a disk needs it more than the id.
        let worker = try await asking { () throws(QueueError) in try await queue.worker(of: job) }
        var name = worker
        if let worker {
            let status = try await asking { () throws(QueueError) in try await queue.info(ofWorker: worker) }
            if let host = status["host"] { name = worker + " on host " + host }
        }
        return job.wholeText(now: now, by: name, place, console.palette)
    }

    private func showTable(_ jobs: [DeadJob], now: Int64) {
        var table = TextTable([
            ("AGE", .right), ("CODE", .left), ("ATTEMPTS", .right), ("ID", .left), ("SOURCE", .left),
            ("MESSAGE", .left),
        ])
        for job in jobs {
            table.append([
                job.age(now: now).shortText, printable(job.code), job.attempts.map { "\($0)" } ?? "?",
                printable(job.id), job.source.map { printable($0) } ?? "-", printable(job.message),
            ])
        }
        let lines = table.lines(width: console.isTerminal ? Console.size().columns : nil)
        console.say(
            ([console.palette.paint(lines[0], .dim)] + lines.dropFirst()).joined(separator: "\n"))
        let codes = Dictionary(jobs.map { ($0.code, 1) }, uniquingKeysWith: +)
        if codes.count > 1 { console.complain("\(count(jobs.count, "job")): \(list(codes))") }
    }
}
