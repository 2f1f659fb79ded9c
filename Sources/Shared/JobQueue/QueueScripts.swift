import Redis

/// The Lua files, ready to run: first line, shared prelude, then the move.
enum QueueScripts {
    static let claim = make("claim", PackageResources.claim_lua)
    static let held = make("held", PackageResources.held_lua)
    static let finish = make("finish", PackageResources.finish_lua)
    static let bury = make("bury", PackageResources.bury_lua)
    static let retry = make("retry", PackageResources.retry_lua)
    static let release = make("release", PackageResources.release_lua)
    static let renew = make("renew", PackageResources.renew_lua)
    static let reclaim = make("reclaim", PackageResources.reclaim_lua)
    static let promote = make("promote", PackageResources.promote_lua)
    static let deregister = make("deregister", PackageResources.deregister_lua)
    static let audit = make("audit", PackageResources.audit_lua)
    static let sweep = make("sweep", PackageResources.sweep_lua)
    static let pause = make("pause", PackageResources.pause_lua)
    static let recent = make("recent", PackageResources.recent_lua)
    static let retryDead = make("retry_dead", PackageResources.retry_dead_lua)
    static let discardDead = make("discard_dead", PackageResources.discard_dead_lua)
    /// Adding work to a full Redis is refused; only moves that drain it may write then.
    static let enqueue = make("enqueue", PackageResources.enqueue_lua, runsWhenFull: false)

    static let all = [
        claim, held, finish, bury, retry, release, renew, reclaim, promote, deregister, audit, sweep, pause,
        recent,
        retryDead, discardDead, enqueue,
    ]

    private static func make(_ name: String, _ move: [UInt8], runsWhenFull: Bool = true) -> RedisScript {
        let first = runsWhenFull ? "#!lua flags=allow-oom\n" : "#!lua\n"
        return RedisScript(name: name, source: Array(first.utf8) + PackageResources.prelude_lua + move)
    }
}

/// Words of a script's ARGV.
func words(_ values: [any CustomStringConvertible]) -> [[UInt8]] { values.map { Array($0.description.utf8) } }
