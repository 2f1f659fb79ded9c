import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// Every command in the sources, held against `deploy/redis/users.acl` one by one: no scenario runs every branch, and
/// a branch that Redis refuses in the middle of a night is found too late.
struct PermissionTests {
    private typealias User = DeployedRedis.User

    /// Who runs which script. A new one belongs here, and its commands into the access list.
    private static let runners: [String: [User]] = [
        "audit": [.producer, .worker, .operator], "enqueue": [.producer],
        "claim": [.worker], "held": [.worker], "finish": [.worker], "bury": [.worker], "retry": [.worker],
        "release": [.worker],
        "renew": [.worker], "reclaim": [.worker], "promote": [.worker], "deregister": [.worker],
        "sweep": [.worker, .operator], "recent": [.operator], "pause": [.operator],
        "retry_dead": [.operator], "discard_dead": [.operator],
    ]

    @Test func `each user may run every command of its scripts`() async throws {
        let folder = Repository.path("Sources/Shared/JobQueue/Scripts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let names = Set(files.map { String($0.dropLast(".lua".count)) }).subtracting(["prelude"])
        #expect(names.isSubset(of: Self.runners.keys), "a script that no user runs")
        let prelude = LuaCalls.functions(
            of: try Repository.text("Sources/Shared/JobQueue/Scripts/prelude.lua"))
        let deployed = try await DeployedRedis()
        var asked = 0
        for (name, users) in Self.runners where names.contains(name) {
            let script = try Repository.text("Sources/Shared/JobQueue/Scripts/\(name).lua")
            for call in try LuaCalls.all(in: script, with: prelude) {
                for user in users {
                    asked += 1
                    let answer = try await dryRun(deployed, user, call.words)
                    #expect(answer == "OK", "\(name).lua as \(user): \(call.words.joined(separator: " "))")
                }
            }
        }
        #expect(asked > 150, "the scripts were not read: \(asked) commands")
    }

    /// Which files send commands of their own, and for whom.
    private static let senders: [(prefix: String, users: [User])] = [
        ("Redis/", [.producer, .worker, .operator]), ("JobQueue/WorkerQueue", [.worker]),
        ("JobQueue/LeaseRenewal", [.worker]), ("JobQueue/ProducerQueue", [.producer]),
        ("JobQueue/OperatorQueue", [.operator]), ("JobQueue/KeyScan", [.worker, .operator]),
    ]

    @Test func `each user may send every command of its program`() throws {
        let rules = try Repository.text("deploy/redis/users.acl").split(separator: "\n")
        let shelf = Repository.path("Sources/Shared")
        var seen = 0
        for module in ["Redis", "JobQueue"] {
            for file in try FileManager.default.contentsOfDirectory(atPath: shelf + "/" + module) {
                guard file.hasSuffix(".swift") else { continue }
                let path = "\(module)/\(file)"
                let text = try Repository.text("Sources/Shared/" + path)
                for match in text.matches(of: /RedisCommand\(\s*"([A-Z]+)"(?:,\s*"([A-Z]+)")?/) {
                    let word = match.1.lowercased()
                    // The one everybody may, before anybody is known; the other is asked of a Sentinel.
                    if ["auth", "sentinel"].contains(word) { continue }
                    seen += 1
                    let hasParts = ["client", "config"].contains(word)
                    let rule = "+" + word + (hasParts ? "|" + (match.2?.lowercased() ?? "") : "")
                    let sender = try #require(
                        Self.senders.first { path.hasPrefix($0.prefix) }, "\(path) sends \(rule): as whom?")
                    for user in sender.users {
                        let line = try #require(rules.first { $0.hasPrefix("user \(user.rawValue) ") })
                        let words = line.split { " ()".contains($0) }
                        #expect(words.contains { $0 == rule }, "\(user) needs \(rule), for \(path)")
                    }
                }
            }
        }
        #expect(seen > 30, "the sources were not read: \(seen) commands")
    }

    private func dryRun(_ deployed: DeployedRedis, _ user: User, _ words: [String]) async throws -> String {
        var command = RedisCommand("ACL", "DRYRUN", user.rawValue)
        for word in words { command.append(word) }
        return try await deployed.fleet.client.call(command).text ?? ""
    }
}

/// The commands of Lua files, each with keys and arguments that stand for what it is called with.
enum LuaCalls {
    struct Call: Hashable { let words: [String] }
    struct Unknown: Error { let text: String }

    /// The prelude's functions by name.
    static func functions(of prelude: String) -> [String: String] {
        var functions: [String: String] = [:]
        for part in prelude.components(separatedBy: "\nlocal function ").dropFirst() {
            functions[String(part.prefix { $0 != "(" })] = part.components(separatedBy: "\nend\n")[0]
        }
        return functions
    }

    /// Those of a script, and of the prelude's functions that it calls, whoever calls them.
    static func all(in script: String, with prelude: [String: String]) throws -> Set<Call> {
        var texts = [script]
        var called: Set<String> = []
        while let text = texts.popLast() {
            for (name, body) in prelude {
                // By name, or handed to pcall.
                let isCalled = text.contains(name + "(") || text.contains("(\(name),")
                if isCalled, called.insert(name).inserted { texts.append(body) }
            }
        }
        // `add` and `expect` take the key from their caller.
        let bodies = [script] + called.subtracting(["add", "expect"]).compactMap { prelude[$0] }
        var calls: Set<Call> = []
        for body in bodies {
            let code = body.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }
                .joined(separator: "\n")
            for match in code.matches(of: /(redis\.p?call|need|add|expect)\(/) {
                let words = arguments(code[match.range.upperBound...])
                calls.formUnion(try self.calls(of: match.1, words))
            }
        }
        return calls
    }

    private static func calls(of function: Substring, _ words: [String]) throws -> [Call] {
        switch function {
        case "expect":
            return try words.dropFirst().flatMap { try keys($0) }.map { Call(words: ["TYPE", $0]) }
        case "add":
            return try keys(words[0]).flatMap {
                [Call(words: ["HINCRBY", $0, "f", "1"]), Call(words: ["HSET", $0, "f", "v"])]
            }
        default:
            var calls: [Call] = []
            for match in words[0].matches(of: /'([A-Z]{2,})'/) {
                let command = String(match.1)
                if command == "TIME" { calls.append(Call(words: ["TIME"])) }
                guard words.count > 1 else { continue }
                guard let rest = samples[command] else { throw Unknown(text: command) }
                for key in try keys(words[1]) {
                    let others = command == "LMOVE" ? try keys(words[2]) : [""]
                    calls += others.map { Call(words: [command, key] + (($0.isEmpty ? [] : [$0]) + rest)) }
                }
            }
            return calls
        }
    }

    /// What a variable of a script stands for; more than one where callers differ.
    private static func keys(_ variable: String) throws -> [String] {
        let tagged = "{thumbnails}:"
        return switch variable {
        case "QUEUE": ["thumbnails"]
        case "WORKERS", "ATTEMPTS", "COUNTERS", "DELAYED", "DEAD", "RESULTS", "PAUSED":
            [tagged + variable.lowercased()]
        case "OWN", "list", "worker.list", "list_of(worker)": [tagged + "worker:w1"]
        case "info", "info_of(worker)": [tagged + "worker:w1:info"]
        case "batch", "key", "batch_key(batch)": [tagged + "batch:b"]
        case "WATCH", "watch": [tagged + "watch"]
        default: throw Unknown(text: variable)
        }
    }

    /// What follows the keys, enough for Redis to see a whole command.
    private static let samples: [String: [String]] = [
        "DEL": [], "EXISTS": [], "EXPIRE": ["1"], "SET": ["v"], "TYPE": [],
        "HDEL": ["f"], "HEXISTS": ["f"], "HGET": ["f"], "HGETALL": [], "HINCRBY": ["f", "1"], "HKEYS": [],
        "HLEN": [], "HMGET": ["f"], "HSCAN": ["0"], "HSET": ["f", "v"], "HVALS": [],
        "LINDEX": ["-1"], "LLEN": [], "LMOVE": ["RIGHT", "LEFT"], "LPOP": [], "LPOS": ["v"], "LPUSH": ["v"],
        "LRANGE": ["0", "-1"], "LREM": ["1", "v"], "RPUSH": ["v"],
        "XADD": ["*", "f", "v"], "XDEL": ["1-1"], "XLEN": [], "XRANGE": ["-", "+"], "XREVRANGE": ["+", "-"],
        "ZADD": ["1", "m"], "ZCARD": [], "ZCOUNT": ["-inf", "+inf"], "ZRANGE": ["0", "-1"], "ZREM": ["m"],
        "ZSCORE": ["m"],
    ]

    /// The arguments of a call, from behind its parenthesis to the one that closes it.
    private static func arguments(_ text: Substring) -> [String] {
        var words: [String] = [""]
        var depth = 0
        for sign in text {
            if "([{".contains(sign) { depth += 1 }
            if ")]}".contains(sign) {
                if depth == 0 { break }
                depth -= 1
            }
            if sign == ",", depth == 0 {
                words.append("")
            } else if !(words[words.count - 1].isEmpty && " \n".contains(sign)) {
                words[words.count - 1].append(sign)
            }
        }
        return words
    }
}
