/// Metrics as text for Prometheus and whoever reads its format, version 0.0.4.
public enum Exposition {
    public static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    /// One block a family, in the order given, also of those of which nothing is known. Traps when two share a
    /// name: a scraper drops the whole page then.
    public static func text(of families: [MetricFamily]) -> String {
        precondition(Set(families.map(\.name)).count == families.count, "two metrics share a name")
        var text = ""
        for family in families {
            text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples {
                text += family.name + sample.suffix + exposedLabels(sample.labels) + " "
                text += exposed(sample.value) + "\n"
            }
        }
        return text
    }

    private static func exposedLabels(_ labels: [MetricFamily.Label]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    /// A line feed would end the line, a quotation mark a label's value.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A number as the format has it; whole ones without a point, so that counts read as counts.
func exposed(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    // Up to here every whole number is exact.
    if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return "\(Int64(value))" }
    return "\(value)"
}
