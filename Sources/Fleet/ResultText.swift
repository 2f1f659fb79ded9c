import JobQueue
import Units

extension PublishedResult {
    /// `2026-11-30 04:33:48Z  done    albums/a.jpg  270×360 22.1 KiB  24 ms  j06dede264e8de8f1  by w8020ec90109a8d28`.
    func line(_ palette: Palette) -> String {
        let head = moment(Int64(entry.prefix { $0 != "-" }) ?? 0) + "  "
        let result: JobResult
        do { result = try JobResult(json: json) } catch {
            return head + "\(printable(status))  \(printable(id))  \(printable(json))"
        }
        let name = printable(result.source ?? result.id)
        let origin = "  " + printable(id) + (result.worker.map { "  by \(printable($0))" } ?? "")
        if let error = result.error {
            return head + palette.paint("failed", .red) + "  \(name)  \(error.code.rawValue): "
                + printable(error.message) + palette.paint(origin, .dim)
        }
        let outputs = (result.outputs ?? []).map { "\($0.width)×\($0.height) \(ByteCount(max(0, $0.bytes)))" }
        return head + palette.paint("done", .green) + "    \(name)  " + outputs.joined(separator: ", ")
            + (result.timings.map { "  \($0.total)" } ?? "") + (result.partial == true ? "  partial" : "")
            + palette.paint(origin, .dim)
    }
}

extension JobResult.Timings {
    fileprivate var total: String {
        let milliseconds = wait + read + decode + resample + encode + write
        return milliseconds < 1_000
            ? "\(decimal(milliseconds)) ms" : Duration.milliseconds(milliseconds).shortText
    }
}
