import Foundation
import TestSupport

/// The examples of a page of `docs/`, which tests run as they stand.
public struct Documentation: Sendable {
    public struct NoSuchExample: Error { public let name: String }

    private let examples: [String: String]

    /// Reads a page; its path is from the top of the repository.
    public init(_ page: String) {
        var examples: [String: String] = [:]
        var name: String?
        for line in Self.lines(of: page) {
            if line.hasPrefix("```") {
                // A fence that opens says the language and the example's name.
                let words = line.dropFirst(3).split(separator: " ")
                name = name == nil && words.count == 2 ? String(words[1]) : nil
            } else if let name {
                examples[name, default: ""] += line + "\n"
            }
        }
        self.examples = examples
    }

    /// Every page for readers, as paths from the top of the repository.
    public static func pages(file: String = #filePath) throws -> [String] {
        let top = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        let folders = ["docs", "deploy", "Benchmarks"].flatMap { folder in
            FileManager.default.enumerator(atPath: top + "/" + folder)?
                .compactMap { ($0 as? String).map { folder + "/" + $0 } } ?? []
        }
        return (try FileManager.default.contentsOfDirectory(atPath: top) + folders)
            .filter { $0.hasSuffix(".md") }.sorted()
    }

    /// The words of each opening fence of a page: language and name, if they are there.
    public static func fences(of page: String) -> [[String]] {
        let fences = lines(of: page).filter { $0.hasPrefix("```") }
        return stride(from: 0, to: fences.count, by: 2).map { index in
            fences[index].dropFirst(3).split(separator: " ").map(String.init)
        }
    }

    /// All lines of a page, the empty ones too.
    public static func lines(of page: String, file: String = #filePath) -> [Substring] {
        let top = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        guard let bytes = Fixture.contents(of: top.joined(separator: "/") + "/" + page) else {
            preconditionFailure("no page \(page)")
        }
        return String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
    }

    /// Every example that has a name.
    public var names: Set<String> { Set(examples.keys) }

    /// The lines of an example without the comments behind them.
    public func commands(_ name: String) throws(NoSuchExample) -> [String] {
        try example(name).split(separator: "\n").map { line in
            String(line.prefix(upTo: line.firstRange(of: "  #")?.lowerBound ?? line.endIndex))
        }
    }

    public func example(_ name: String) throws(NoSuchExample) -> String {
        guard let text = examples[name] else { throw NoSuchExample(name: name) }
        return text
    }
}
