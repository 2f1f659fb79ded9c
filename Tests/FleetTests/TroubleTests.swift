import JobQueue
import Redis
import TestSupport
import Testing

@testable import Fleet

/// The first minutes: nothing is where it should be, and the program says so and what to do.
struct TroubleTests {
    private static let commands = [
        ["status"], ["top"], ["dead"], ["retry", "a"], ["discard", "--all"], ["results"], ["pause"],
        ["resume"], ["batch"], ["delayed"],
        ["audit"],
    ]

    private func run(_ arguments: [String], _ environment: [String: String]) async throws -> TestDesk.Ran {
        let program = try ChildProcess(BuiltProgram.path("fleet"), arguments, environment: environment)
        return .init(
            exit: await program.wait(), output: program.standardOutput, complaints: program.standardError)
    }

    @Test(arguments: commands)
    func `no Redis ends each command with 69`(command: [String]) async throws {
        let ran = try await run(command, ["REDIS_URL": "unix:///nowhere/redis.sock"])
        #expect(ran.exit == .status(69) && ran.output == "")
        #expect(
            ran.complaints == """
                fleet: unix:///nowhere/redis.sock cannot be reached: No such file or directory
                fleet: is Redis running there? start it, or name another with --redis URL or REDIS_URL
                fleet: the address unix:///nowhere/redis.sock is from REDIS_URL

                """)
    }

    @Test func `a wrong password or none ends with 78 and is not shown`() async throws {
        let desk = try await TestDesk(password: "right")
        for user in [":geheim@", ""] {
            let ran = try await run(["status"], ["REDIS_URL": "unix://\(user)\(desk.socket)"])
            #expect(ran.exit == .status(78))
            #expect(ran.complaints.contains("Redis refused the user or the password"))
            #expect(ran.complaints.contains("redis://USER:PASSWORD@HOST"))
            #expect(!ran.complaints.contains("geheim"))
        }
    }

    @Test(arguments: [["status"], ["audit"], ["pause"], ["retry", "--all", "--yes"], ["results"]])
    func `a user without permission ends with 78, and the advice helps`(command: [String]) async throws {
        let desk = try await TestDesk()
        try await desk.settle("a", .timedOut)
        let environment = ["REDIS_URL": "unix://me:geheim@\(desk.socket)"]
        _ = try await desk.redis("ACL", "SETUSER", "me", "on", ">geheim", "+ping", "+exists", "~*")
        let refused = try await run(command, environment)
        #expect(refused.exit == .status(78), "\(refused)")
        let advice = try #require(
            refused.complaints.split(separator: "\n").first { $0.contains("SETUSER") })
        let words = advice.split(separator: " ").drop { $0 != "SETUSER" }.dropFirst().map {
            $0.filter { $0 != "'" }
        }
        #expect(words.first == "me")
        _ = try await desk.redis("ACL", "DELUSER", "me")
        _ = try await desk.redis("ACL", "SETUSER", "me", "on", ">geheim")
        var allow = RedisCommand("ACL", "SETUSER")
        for word in words { allow.append(word) }
        _ = try await desk.client.call(allow)
        let allowed = try await run(command, environment)
        #expect(allowed.exit == .status(0), "\(allowed)")
    }

    @Test func `a wrong database is told, with the right one`() async throws {
        let desk = try await TestDesk()
        try await desk.push(job("a"))
        let ran = try await run(["status"], ["REDIS_URL": desk.url + "?db=3"])
        #expect(ran.exit == .status(78))
        #expect(ran.complaints.contains("nothing was ever pushed to this queue here"))
        #expect(
            ran.complaints.contains("database 0 of this Redis has it: name it with --redis \(desk.url)\n"))
    }

    @Test func `a wrong name is told, with the queues that are here`() async throws {
        let desk = try await TestDesk()
        try await desk.settle("a")
        _ = try await desk.redis("LPUSH", "bare", job("b"))
        let ran = try await desk.run("status", "--queue", "thumbs")
        #expect(ran.exit == .status(78))
        #expect(ran.complaints.contains("queues that are here: bare, thumbnails; name one with --queue"))
        let empty = try await TestDesk()
        #expect(try await empty.run("audit").complaints.contains("is this the Redis of your workers?"))
        for verb in ["pause", "resume"] {
            let refused = try await empty.run(verb)
            #expect(refused.exit == .status(78) && refused.complaints.contains("nothing was ever pushed"))
            #expect(refused.complaints.contains("add --force"))
        }
        #expect(try await empty.operators.pauseReason() == nil)
        #expect(try await empty.run("pause", "--force").exit == .status(0), "before the first job")
    }

    @Test func `a key of another type is named`() async throws {
        let desk = try await TestDesk()
        _ = try await desk.redis("SET", desk.keys.queue, "a page of somebody else")
        let ran = try await desk.run("status")
        #expect(ran.exit == .status(78))
        #expect(ran.complaints.contains("WRONGTYPE thumbnails holds a string, the queue needs a list"))
        #expect(ran.complaints.contains("name another queue with --queue"))
        #expect(!ran.complaints.contains("script") && !ran.complaints.contains("@"))
    }

    @Test func `what Redis refuses is explained, with the address and who named it`() async throws {
        let desk = try await TestDesk()
        let far = try await run(["status", "--redis", desk.url + "?db=99"], [:])
        #expect(far.complaints.contains("this Redis has fewer databases"), "\(far)")
        #expect(far.complaints.contains("the address \(desk.url)?db=99 is from --redis"))
        let known = try await run(["status"], ["REDIS_URL": "unix://:geheim@\(desk.socket)"])
        #expect(known.complaints.contains("this Redis has no password: leave it out"), "\(known)")
        #expect(!known.complaints.contains("geheim"))
        let bare = try await run(["status"], ["REDIS_URL": "localhost:6379"])
        #expect(
            bare.exit == .status(64)
                && bare.complaints.contains("it has no scheme: write redis:// before a host"), "\(bare)")
        desk.redis.freeze()
        let frozen = try await desk.run("status")
        desk.redis.thaw()
        #expect(frozen.complaints.contains("is it stopped, swapping, or busy with one long command?"))
        #expect(!frozen.complaints.contains("start it"))
    }

    @Test func `a Redis that is loading ends with 69 and says to wait`() async throws {
        // While Redis reads its log it answers after every 1,024 commands: here, three times a second.
        let desk = try await TestDesk(appendOnly: true, configuration: ["--key-load-delay", "200"])
        _ = try await desk.redis("EVAL", "for n = 1, 12000 do redis.call('SET', 'filler' .. n, 'x') end", "0")
        try await desk.push(job("a"))
        await desk.redis.kill()
        async let starting: Void = desk.redis.start()
        var said = ""
        try await eventually("a word about loading") {
            let ran = try await desk.run("status")
            if ran.exit == .status(69) { said = ran.complaints }
            return said.contains("LOADING") || ran.exit == .status(1)
        }
        #expect(said.contains("Redis is starting; try again when it has read its data"), "\(said)")
        try await starting
    }

    @Test func `what is no command ends with 64`() async throws {
        let desk = try await TestDesk()
        #expect(try await desk.run("statsu").complaints.contains("did you mean status?"))
        for arguments in [
            [], ["statsu"], ["--redis", "x", "status"], ["status", "--count", "1"], ["pause", "now"],
        ] {
            #expect(try await run(arguments, [:]).exit == .status(64))
        }
        #expect(try await run(["help", "dead"], [:]).output.hasPrefix("Usage: fleet dead [options] [ID]\n"))
        #expect(try await run(["--version"], [:]).output.hasPrefix("fleet "))
    }
}
