import CommandLineOptions
import HTTP

/// `fleet health`: asks one worker itself, not Redis. What an image without curl has for its health check.
struct HealthCommand: Sendable {
    private let worker: HostAndPort
    /// Whether it claims jobs is asked, not only whether it lives.
    private let asksForReadiness: Bool
    private let patience: Duration
    private let printsJSON: Bool
    private let console: Console

    init(_ values: OptionValues, _ console: Console) {
        worker = values[FleetOptions.worker]
        asksForReadiness = values[FleetOptions.ready]
        patience = values[FleetOptions.patience]
        printsJSON = values[FleetOptions.json]
        self.console = console
    }

    /// Blocks the calling thread until the worker has answered, or as long as it may take.
    func run() -> ExitStatus {
        do throws(HTTPError) {
            let path = asksForReadiness ? "/readyz" : "/livez"
            let answer = try HTTPQuestion.ask(path, at: worker, within: patience)
            say(isHealthy: answer.isSuccess, Self.reason(in: answer))
            return answer.isSuccess ? .done : .someJobsFailed
        } catch {
            say(isHealthy: false, "\(error)")
            return .someJobsFailed
        }
    }

    private func say(isHealthy: Bool, _ reason: String) {
        guard printsJSON else { return console.say("\(worker): \(printable(reason))") }
        console.say(
            JSONValue.object([
                "worker": .string(worker.description), "healthy": .flag(isHealthy),
                "reason": .string(reason),
            ]).text)
    }

    private static func reason(in answer: HTTPAnswer) -> String {
        let line = answer.body.prefix { !$0.isNewline }
        return line.isEmpty ? "answered \(answer.status)" : String(line)
    }
}
