import FleetSupport
import FoundationEssentials
import JobQueue
import Redis
import TestSupport
import Testing

/// The two files of `deploy/redis`: each program does all of its work as its own user, and no user can do more.
struct AccessListTests {
    /// Does what there is to do, then looks into Redis' own list of what it refused: a program that can do without
    /// a command does not complain when it may not use it.
    @Test func `every program works as its own user, and none of its commands is refused`() async throws {
        let deployed = try await DeployedRedis(pictures: [
            "a.jpg": "landscape-420.jpg", "b.jpg": "square-444.jpg", "cut.jpg": "cut-half.jpg",
            "poison/poison.jpg": "landscape-420.jpg",
        ])
        let fleet = deployed.fleet
        let lease = ["THUMBNAIL_TEST_LEASE_MS": "2000"]
        try await crash(deployed, lease)
        let worker = try deployed.worker(environment: lease)
        #expect(try await fleet.results(1).first?.attempt == 2, "reclaimed from the dead worker")

        let photos = ["--dir", fleet.sources, "--pt", "9x9", "--wait"]
        let failing = try deployed.program("enqueue", as: .producer, photos + ["--batch", "b"])
        #expect(await failing.wait() == .status(1))
        #expect(failing.standardOutput.contains("for example"), "\(failing.standardError)")
        try await retry(deployed)
        try await pause(deployed, worker)
        try await operate(deployed)
        try await follow(deployed)
        try await scale(deployed)

        await fleet.stop([worker])
        let popping = try deployed.worker(["--fetch", "brpop"])
        let settled = try await fleet.client.call(RedisCommand("XLEN", fleet.keys.results)).integer ?? 0
        try await fleet.push(TestFleet.job("popped"))
        #expect(try await fleet.results(settled + 1).last?.id == "popped")
        await fleet.stop([popping])
        #expect(try await deployed.redisCLI(as: .probe, "PING") == "PONG\n")
        #expect(try await deployed.refusals() == [])
        try await fleet.expectConservation()
    }

    /// A worker dies in the middle of its first picture.
    private func crash(_ deployed: DeployedRedis, _ lease: [String: String]) async throws {
        let victim = try deployed.worker(
            environment: lease.merging(["THUMBNAIL_FAILPOINT": "inspected=abort:poison/poison.jpg"]) { $1 })
        let job = #"{"source":"poison/poison.jpg","pt":"9x9","scale":1,"id":"poison"}"#
        #expect(try await deployed.redisCLI(as: .producer, "LPUSH", deployed.fleet.keys.queue, job) == "1\n")
        guard case .signal? = await victim.wait() else {
            Issue.record("not killed: \(victim.standardError)")
            return
        }
    }

    /// One job fails until what is in its way is gone, another is for a newer worker.
    private func retry(_ deployed: DeployedRedis) async throws {
        let fleet = deployed.fleet
        let inTheWay = fleet.output + "/blocked.jpg"
        try FileManager.default.createDirectory(atPath: inTheWay, withIntermediateDirectories: true)
        let before = try await fleet.operators.audit()
        let jobs = [
            #"{"source":"a.jpg","pt":"9x9","scale":1,"id":"blocked","output":"blocked.jpg"}"#,
            #"{"source":"a.jpg","pt":"9x9","scale":1,"id":"newer","v":9}"#,
        ]
        for job in jobs { _ = try await deployed.redisCLI(as: .producer, "LPUSH", fleet.keys.queue, job) }
        try await eventually("a job to be retried and one to be left") {
            let counters = try await fleet.operators.audit().counters
            return counters["retried", default: 0] > 0 && counters["released", default: 0] > 0 ? () : nil
        }
        try FileManager.default.removeItem(atPath: inTheWay)
        let settled = before.counters["finished", default: 0] + before.counters["buried", default: 0]
        let last = try await fleet.results(settled + 1).last
        #expect(last?.id == "blocked" && last?.status == .done)
    }

    /// The queue is paused while the worker sleeps in Redis; a producer that waits says so.
    private func pause(_ deployed: DeployedRedis, _ worker: ChildProcess) async throws {
        try await deployed.fleet.untilAsleep(worker)
        #expect(try await operate(deployed, ["pause", "--reason", "a test"]).contains("a test"))
        let waiting = try deployed.program(
            "enqueue", as: .producer, ["--dir", deployed.fleet.sources + "/poison", "--pt", "8x8", "--wait"])
        try await eventually("the producer to hear of the pause") {
            waiting.standardError.contains("is paused (a test)") ? () : nil
        }
        try await eventually("the worker to tell why it paused") {
            worker.standardError.contains("a test") ? () : nil
        }
        _ = try await operate(deployed, ["resume"])
        #expect(await waiting.wait() == .status(0), "\(waiting.standardError)")
    }

    /// Each command of `fleet` in each of its ways.
    private func operate(_ deployed: DeployedRedis) async throws {
        let ways = [
            ["status"], ["status", "--json"], ["top", "--count", "1"], ["dead"], ["dead", "newer"],
            ["delayed"],
            ["retry", "--code", "truncated_image", "--yes"], ["discard", "--all", "--yes"],
            ["results", "--since", "10m"], ["batch"], ["batch", "b"], ["audit"], ["audit", "--repair"],
            ["pause"], ["resume"],
        ]
        let commands = try Repository.text("Sources/Fleet/FleetCommands.swift")
            .matches(of: /table\(\s*"([a-z]+)", summary:/).map { String($0.1) }
        // `health` asks a worker and not Redis.
        #expect(
            Set(ways.map { $0[0] }) == Set(commands).subtracting(["health"]),
            "a command that no test runs as operator")
        for way in ways where way != ["discard", "--all", "--yes"] { _ = try await operate(deployed, way) }
        // Once the job that was retried is dead again.
        try await eventually("a dead job") {
            try await deployed.fleet.operators.audit().dead > 0 ? () : nil
        }
        #expect(try await operate(deployed, ["discard", "--all", "--yes"]).contains("1 job"))
        let following = try deployed.program("fleet", as: .operator, ["results", "--follow"])
        try await eventually("a look at results to come") {
            let clients = try await deployed.fleet.client.call(RedisCommand("CLIENT", "LIST")).text ?? ""
            return clients.contains("cmd=xread user=operator") ? () : nil
        }
        try await deployed.fleet.push(#"{"source":"a.jpg","pt":"7x7","scale":1,"id":"followed"}"#)
        try await eventually("the followed result") {
            following.standardOutput.contains("followed") ? () : nil
        }
        following.send(2)
        _ = await following.wait()
    }

    private func operate(_ deployed: DeployedRedis, _ arguments: [String]) async throws -> String {
        let program = try deployed.program("fleet", as: .operator, arguments)
        let exit = await program.wait()
        // 1: unhealthy, or no such job; what is refused ends with 78.
        #expect(exit == .status(0) || exit == .status(1), "\(arguments): \(program.standardError)")
        return program.standardOutput
    }

    /// The programs of docs/producing-and-consuming.md, which a backend has of its own.
    private func follow(_ deployed: DeployedRedis) async throws {
        let page = Documentation("docs/producing-and-consuming.md")
        func python(_ name: String, as user: DeployedRedis.User, _ words: String...) throws -> ChildProcess {
            try ChildProcess(
                "/usr/bin/python3", ["-c", try page.example(name)] + words,
                environment: ["REDIS_URL": deployed.url(user)])
        }
        let pushing = try python("push_batch.py", as: .producer, "of-python", "a.jpg")
        #expect(await pushing.wait() == .status(0), "\(pushing.standardError)")
        let following = try python("follow.py", as: .consumer)
        try await eventually("the followed result") {
            following.standardOutput.contains("of-python/a.jpg 120x120@3x/a.jpg") ? () : nil
        }
        for user in [DeployedRedis.User.producer, .consumer] {
            let progress = try python("progress.py", as: user, "of-python")
            #expect(await progress.wait() == .status(0), "\(progress.standardError)")
        }
        let results = deployed.fleet.keys.results
        for words in [
            ["XINFO", "GROUPS", results], ["XAUTOCLAIM", results, "gallery", "gallery-2", "60000", "0"],
            ["XREAD", "STREAMS", results, "$"],
        ] {
            let answer = try await deployed.redisCLI(as: .consumer, words)
            #expect(!answer.contains("NOPERM"), "\(words): \(answer)")
        }
    }

    /// What KEDA's Redis scaler asks: the length of whatever type a key has.
    private func scale(_ deployed: DeployedRedis) async throws {
        let length = """
            local lengths = {list = 'llen', zset = 'zcard', none = 'llen'}
            return redis.call(lengths[redis.call('type', KEYS[1]).ok], KEYS[1])
            """
        let keys = deployed.fleet.keys
        #expect(try await deployed.redisCLI(as: .scaler, "EVAL", length, "1", keys.queue) == "0\n")
        #expect(try await deployed.redisCLI(as: .scaler, "EVAL", length, "1", keys.delayed) == "1\n")
    }

    @Test(arguments: DeployedRedis.User.allCases)
    func `no user can do what is not its task`(user: DeployedRedis.User) async throws {
        let deployed = try await DeployedRedis()
        let fleet = deployed.fleet
        try await fleet.push("a job")
        let client = deployed.client(user)
        for words in Self.forbiddenToAll + Self.forbidden[user, default: []] {
            var command = RedisCommand(words[0])
            for word in words.dropFirst() { command.append(word) }
            do throws(RedisError) {
                let reply = try await client.call(command)
                Issue.record("\(user) may \(words): \(reply)")
            } catch {
                guard case .forbidden = error else {
                    Issue.record("\(words): \(error)")
                    continue
                }
            }
        }
        client.close()
        let left = try await fleet.client.call(RedisCommand("LRANGE", fleet.keys.queue, "0", "-1"))
        #expect(left == .array([.bytes(Array("a job".utf8))]))
    }

    /// Redis as a whole, keys of others, and what takes more than one's own part out of the queue.
    private static let forbiddenToAll = [
        ["FLUSHALL"], ["FLUSHDB"], ["SWAPDB", "0", "1"], ["SHUTDOWN", "NOSAVE"],
        ["CONFIG", "SET", "maxmemory", "1mb"], ["CONFIG", "REWRITE"], ["REPLICAOF", "NO", "ONE"],
        ["ACL", "LIST"], ["ACL", "SETUSER", "me"], ["SAVE"], ["BGREWRITEAOF"], ["KEYS", "*"], ["MONITOR"],
        ["SCRIPT", "FLUSH"], ["FUNCTION", "FLUSH"], ["MODULE", "LIST"], ["CLIENT", "KILL", "ID", "1"],
        ["CLIENT", "PAUSE", "1"], ["SUBSCRIBE", "news"], ["PUBLISH", "news", "1"],
        ["GET", "other"], ["SET", "other", "1"], ["LPUSH", "other", "1"], ["DEL", "thumbnails"],
        ["RENAME", "thumbnails", "other"], ["LTRIM", "thumbnails", "1", "0"],
        ["DEL", "{thumbnails}:results"], ["XTRIM", "{thumbnails}:results", "MAXLEN", "0"],
        ["DEL", "{thumbnails}:counters"], ["DEL", "{thumbnails}:worker:w1"],
        ["EVAL", "return 1", "1", "other"], ["EVAL", "return redis.call('GET', 'other')", "0"],
        ["EVAL", "return redis.call('DEL', KEYS[1])", "1", "thumbnails"],
    ]

    private static let forbidden: [DeployedRedis.User: [[String]]] = [
        .producer: [
            ["XRANGE", "{thumbnails}:results", "-", "+"], ["LRANGE", "thumbnails", "0", "-1"],
            ["RPOP", "thumbnails"], ["XADD", "{thumbnails}:results", "*", "f", "v"],
            ["SET", "{thumbnails}:paused", "1"], ["HSET", "{thumbnails}:counters", "taken", "1"],
            ["EVAL", "return redis.call('RPOP', KEYS[1])", "1", "thumbnails"], ["SCAN", "0"], ["INFO"],
            ["CONFIG", "GET", "*"], ["CLIENT", "LIST"],
        ],
        .worker: [
            ["XRANGE", "{thumbnails}:results", "-", "+"], ["XRANGE", "{thumbnails}:dead", "-", "+"],
            ["XDEL", "{thumbnails}:results", "1-1"], ["SET", "{thumbnails}:paused", "1"],
            ["DEL", "{thumbnails}:workers"], ["CONFIG", "GET", "*"], ["CLIENT", "LIST"],
        ],
        .operator: [
            ["RPOP", "thumbnails"], ["XADD", "{thumbnails}:results", "*", "f", "v"],
            ["XDEL", "{thumbnails}:results", "1-1"], ["DEL", "{thumbnails}:dead"],
            ["ZREM", "{thumbnails}:workers", "w1"], ["LREM", "{thumbnails}:worker:w1", "0", "a job"],
        ],
        .consumer: [
            ["XADD", "{thumbnails}:results", "*", "f", "v"], ["XDEL", "{thumbnails}:results", "1-1"],
            ["XGROUP", "DESTROY", "{thumbnails}:results", "gallery"], ["LPUSH", "thumbnails", "1"],
            ["LRANGE", "thumbnails", "0", "-1"], ["XRANGE", "{thumbnails}:dead", "-", "+"], ["INFO"],
        ],
        .scaler: [
            ["LPUSH", "thumbnails", "1"], ["LRANGE", "thumbnails", "0", "-1"], ["RPOP", "thumbnails"],
            ["EVAL", "return redis.call('LRANGE', KEYS[1], 0, -1)", "1", "thumbnails"], ["INFO"],
        ],
        .probe: [["LLEN", "thumbnails"], ["INFO"], ["EVAL", "return 1", "0"], ["CLIENT", "ID"]],
    ]

    @Test func `nobody gets in without a name and a password`() async throws {
        let deployed = try await DeployedRedis()
        for address in [
            RedisAddress(.unix(path: deployed.fleet.redis.socket)),
            RedisAddress(.unix(path: deployed.fleet.redis.socket), user: "worker", password: ""),
            RedisAddress(.unix(path: deployed.fleet.redis.socket), user: "worker", password: "any"),
            RedisAddress(.unix(path: deployed.fleet.redis.socket), user: "default", password: "any"),
        ] {
            let client = RedisClient(address, name: "stranger")
            defer { client.close() }
            await #expect {
                try await client.call(RedisCommand("PING"))
            } throws: { error in
                guard case RedisError.authenticationFailed = error else { return false }
                return true
            }
        }
    }
}
