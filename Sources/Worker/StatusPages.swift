import HTTPServer
import Metrics

/// What a worker answers over HTTP: how it is, to supervisors and scrapers.
struct StatusPages: Sendable {
    static let paths = ["/metrics", "/livez", "/readyz"]

    let metrics: MetricsPage
    let health: WorkerHealth

    /// Waits for nobody: a frozen Redis or full cores delay no answer.
    func page(at path: String) -> Page {
        switch path {
        case "/metrics": Page(200, type: Exposition.contentType, Exposition.text(of: metrics.families))
        case "/livez": Self.page(of: health.isAlive)
        case "/readyz": Self.page(of: health.isReady)
        default: Page(404, "nothing is at this path; there are \(Self.paths.joined(separator: ", "))\n")
        }
    }

    private static func page(of verdict: WorkerHealth.Verdict) -> Page {
        Page(verdict.isGood ? 200 : 503, verdict.reason + "\n")
    }
}
