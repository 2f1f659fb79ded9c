import Foundation
import HostileInput
import TestSupport
import Testing

/// What `make fuzz` looks for, asked of all files that are here, and of what it found before.
struct HostileInputTests {
    @Test(arguments: HostileInput.allCases)
    func `whatever a fixture holds, no promise is broken`(input: HostileInput) throws {
        for folder in ["", "fuzz/"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: Fixture.path(folder))
            for name in names where name.contains(".") {
                let bytes = Fixture.bytes(folder + name)
                do { try input.check(bytes) } catch { Issue.record("\(folder)\(name): \(error)") }
            }
        }
    }

    @Test(arguments: [HostileInput.header, .decode])
    func `whatever a broken file of the corpus holds, no promise is broken`(input: HostileInput) {
        guard let corpus = Corpus() else { return }
        for path in corpus.manifest.compactMap({ $0["path"] }) {
            guard path.hasPrefix("odd/") || path.hasPrefix("broken/"), let bytes = corpus.bytes(path) else {
                continue
            }
            do { try input.check(bytes) } catch { Issue.record("\(path): \(error)") }
        }
    }

    /// One a line, as the fuzzer starts from them; cut anywhere they are still somebody's input.
    @Test(arguments: [HostileInput.job, .options])
    func `a seed cut anywhere breaks no promise`(input: HostileInput) throws {
        let seeds = Fixture.bytes("../Fuzz/seeds/\(input.rawValue).txt").split(separator: 10)
        #expect(seeds.count > 5)
        for seed in seeds {
            for length in 0...seed.count { try input.check(Array(seed.prefix(length))) }
        }
    }
}
