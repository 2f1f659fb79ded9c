import JobQueue
import Units

extension PublishedResult {
    /// `04:33:48  done    albums/a.jpg  270×360 22.1 KiB  24 ms`; times are UTC.
    func line(_ palette: Palette) -> String {
        let time = Timestamp(milliseconds: Int64(entry.prefix { $0 != "-" }) ?? 0).rfc3339
        let head = "\(time.dropFirst(11).prefix(8))  "
        let result: JobResult
        do { result = try JobResult(json: json) } catch {
            return head + "\(printable(status))  \(printable(id))  \(printable(json))"
        }
        let name = printable(result.source ?? result.id)
        if let error = result.error {
            return head + palette.paint("failed", .red) + "  \(name)  \(error.code.rawValue): "
                + printable(error.message)
        }
        let outputs = (result.outputs ?? []).map { "\($0.width)×\($0.height) \(ByteCount(max(0, $0.bytes)))" }
        return head + palette.paint("done", .green) + "    \(name)  " + outputs.joined(separator: ", ")
            + (result.timings.map { "  \($0.total)" } ?? "") + (result.partial == true ? "  partial" : "")
    }
}

extension JobResult.Timings {
    fileprivate var total: String {
        let milliseconds = wait + read + decode + resample + encode + write
        return milliseconds < 1_000
            ? "\(decimal(milliseconds)) ms" : Duration.milliseconds(milliseconds).shortText
    }
}
