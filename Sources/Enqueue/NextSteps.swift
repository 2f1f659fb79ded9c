import JobQueue
import Redis

/// What a person can do next, as sentences and as commands to be copied.
struct NextSteps {
    private let request: EnqueueRequest

    init(_ request: EnqueueRequest) { self.request = request }

    /// Shows how far the batch is.
    var seeBatch: String {
        var words = ["redis-cli"]
        let address = request.redis
        switch address.endpoint {
        case .unix(let path):
            words += ["-s", path]
            if address.database != 0 { words += ["-n", "\(address.database)"] }
        case .tcp: words += ["-u", address.description]
        }
        if let user = address.user { words += ["--user", user] }
        if address.password != nil { words.append("--askpass") }
        let key = QueueKeys(queue: request.queue).batch(request.batch)
        return shell(words + ["HMGET", key, "total", "finished", "failed"])
    }

    /// Starts a worker that understands these jobs.
    var startWorker: String {
        var words = ["worker"]
        for root in roots { words += ["--source-root", root] }
        words += ["--output", "thumbs"]
        if request.queue != QueueKeys.defaultName { words += ["--queue", request.queue] }
        let usual = RedisAddress(.tcp(host: "127.0.0.1", port: RedisAddress.defaultPort))
        // A password has no place in a command line; with one, REDIS_URL names the server for both.
        if request.redis != usual, request.redis.password == nil {
            words += ["--redis", request.redis.description]
        }
        return shell(words)
    }

    /// Nil where the error itself says it all.
    func advice(for error: EnqueueError) -> String? {
        switch error {
        case .file: nil
        case .batchLost: "enqueue the pictures again; thumbnails that exist already are replaced"
        case .queue(let error): advice(for: error)
        }
    }

    private func advice(for error: QueueError) -> String? {
        switch error {
        case .redis(.authenticationFailed):
            "give the user and the password as redis://USER:PASSWORD@HOST in REDIS_URL or --redis"
        case .redis(.forbidden):
            "allow it with: ACL SETUSER \(request.redis.user ?? "default") "
                + "\(shell(keyPatterns)) +@read +@write +@scripting +@connection +time"
        case .redis(.notServing(.loading, _)): "Redis is starting; try again when it has read its data"
        case .redis(.notServing(.readOnly, _)): "\(request.redis) is a replica; name its primary with --redis"
        case .redis(.unreachable), .redis(.timedOut), .redis(.connectionLost):
            "is Redis running there? start it, or name another with --redis URL or REDIS_URL"
        case .redis(.outOfMemory): "Redis is full; enqueue the rest when workers have caught up"
        case .redis(.wrongType): "another program uses this key; name another queue with --queue"
        case .redis, .unexpectedAnswer, .evicts: nil
        }
    }

    /// For an access list: the list, and all keys beside it.
    private var keyPatterns: [String] {
        ["~\(request.queue)", "~\(QueueKeys(queue: request.queue).pattern)"]
    }

    /// Directories under which a worker on this machine finds the sources.
    private var roots: [String] {
        switch (request.relativeTo, request.source) {
        case (let base?, _): [base]
        case (nil, .directories(let directories)): directories
        case (nil, .list): ["DIR"]
        }
    }

    /// Words as a shell takes them.
    private func shell(_ words: [String]) -> String {
        words.map { word in
            let isPlain = word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "+"),
                    UInt8(ascii: "@"), UInt8(ascii: "="), UInt8(ascii: ","):
                    true
                default: false
                }
            }
            return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
        }.joined(separator: " ")
    }
}
