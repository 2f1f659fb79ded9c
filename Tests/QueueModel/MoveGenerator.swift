/// Draws moves, and more often those that something can go wrong with.
public struct MoveGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64
    private var pushes = 0
    private var settlings: [Move] = []
    private let catalogue: [ModelJob]
    private let workers = ["w1", "w2", "w3"]

    /// - Parameter catalogue: jobs that are pushed again and again, beside those that are unique.
    public init(seed: UInt64, catalogue: [ModelJob]) {
        state = seed
        self.catalogue = catalogue
    }

    /// SplitMix64: the same moves for the same seed, on every machine.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    public mutating func next(after model: QueueModel) -> Move {
        let state = model.state
        let worker = pick(workers) ?? workers[0]
        switch Int.random(in: 0..<100, using: &self) {
        case 0..<8: return .push(job())
        case 8 where !state.dead.isEmpty: return .retryDead(places(state.dead.count))
        case 9 where !state.dead.isEmpty: return .discardDead(places(state.dead.count))
        case 10: return .deleteLease(worker: pick(state.lists.keys.sorted()) ?? worker)
        case 11: return .sweep
        case 12..<17: return enqueue()
        case 17..<29: return .claim(worker: worker, limit: Int.random(in: 1...4, using: &self))
        case 29..<35 where state.leases[worker] != nil && !state.waiting.isEmpty:
            return .blockingMove(worker: worker)
        case 35..<37 where !state.waiting.isEmpty: return .pop
        case 37..<41:
            guard let job = pick(model.popped) else { return .renew(worker: worker) }
            return .settlePopped(settling(), job)
        case 41..<63:
            guard let holder = pick(state.lists.keys.sorted()), let raw = pick(state.lists[holder] ?? [])
            else { return .push(job()) }
            let job = model.job(raw)
            let isTriedAgain = state.attempts[job.id] != nil && Bool.random(using: &self)
            let move = Move.settle(isTriedAgain ? .retry(pause: 0) : settling(), job, worker: holder)
            settlings.append(move)
            return move
        // A worker that lost its lease, or a reply: it settles what it no longer has.
        case 63..<67: return pick(settlings.suffix(6)) ?? .promote
        case 67..<69:
            guard case .settle(let settling, let job, _)? = pick(settlings) else { return .reclaim }
            return .settle(settling, job, worker: worker)
        case 69: return .lookAtList(worker: pick(state.lists.keys.sorted()) ?? worker)
        case 70 where state.lists.keys.contains { state.leases[$0] == nil }: return .sweep
        case 70..<74: return .renew(worker: worker)
        case 74..<80: return .silence(worker: pick(state.lists.keys.sorted()) ?? worker)
        case 80..<88: return .reclaim
        case 88..<93: return .promote
        case 93..<95: return .deregister(worker: worker)
        case 95: return .pause
        case 96: return .audit
        case 97..<100 where !state.isPaused:
            return .advance(milliseconds: 1_000_000 * Int.random(in: 1...2, using: &self))
        default: return .resume
        }
    }

    private mutating func job() -> ModelJob {
        if let known = pick(catalogue), Int.random(in: 0..<3, using: &self) == 0 { return known }
        pushes += 1
        let batch = Bool.random(using: &self) ? "b\(pushes % 2)" : nil
        let field = batch.map { #","batch":"\#($0)""# } ?? ""
        return ModelJob(raw: Array(#"{"id":"j\#(pushes)"\#(field)}"#.utf8), id: "j\(pushes)", batch: batch)
    }

    /// Up to three places of a list, and now and then one beyond it.
    private mutating func places(_ count: Int) -> [Int] {
        let beyond = Int.random(in: 0..<3, using: &self) == 0 ? [count] : []
        return ((0..<count).shuffled(using: &self).prefix(3) + beyond).shuffled(using: &self)
    }

    private mutating func enqueue() -> Move {
        let jobs = (0..<Int.random(in: 1...4, using: &self)).map { _ in job() }
        // Few names, so that chunks are sent twice.
        let chunk = "\(Int.random(in: 0..<8, using: &self))"
        let longest = Int.random(in: 0..<3, using: &self) == 0 ? Int.random(in: 1...12, using: &self) : nil
        return .enqueue(jobs, batch: "b\(pushes % 2)", chunk: chunk, longestQueue: longest)
    }

    private mutating func settling() -> Move.Settling {
        switch Int.random(in: 0..<10, using: &self) {
        case 0..<4: .finish
        case 4: .bury
        case 5..<8: .retry(pause: 1_000_000 * Int.random(in: 0...2, using: &self))
        case 8: .release(pause: nil)
        default: .release(pause: 1_000_000 * Int.random(in: 0...2, using: &self))
        }
    }

    private mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? {
        elements.randomElement(using: &self)
    }
}
