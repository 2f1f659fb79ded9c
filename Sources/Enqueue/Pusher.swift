import Files
import JobQueue
import Threading

/// Pushes all jobs of a run: while one portion is on its way to Redis, the next is read.
struct Pusher: Sendable {
    let queue: ProducerQueue
    let reader: ChunkReader
    let batch: String
    /// Nil: no limit.
    let longestQueue: Int?

    private let files = BlockingThreads(name: "file")
    private let run: String

    enum End: Equatable {
        case all
        /// The rest would have made the queue too long.
        case full(waiting: Int)
    }

    /// Jobs of one round trip: large enough that the round trip is nothing beside the work in it.
    private static let portion = 16 * QueueLimits.jobsPerChunk

    init(queue: ProducerQueue, reader: ChunkReader, batch: String, longestQueue: Int?) {
        self.queue = queue
        self.reader = reader
        self.batch = batch
        self.longestQueue = longestQueue
        var generator = SystemRandomNumberGenerator()
        run = BatchName.token(using: &generator)
    }

    /// Counts in `summary` what was pushed and skipped.
    func push(into summary: inout EnqueueSummary) async throws -> End {
        var warnings = SkipWarnings()
        defer { warnings.close() }
        var chunkNumber = 0
        var portion = try await read()
        while true {
            let isLast = portion.isLast
            async let following = isLast ? nil : read()
            for (path, reason) in portion.skipped {
                summary.skip(reason)
                warnings.note(path, reason)
            }
            if let waiting = try await push(portion.jobs, &chunkNumber, &summary.enqueued) {
                return .full(waiting: waiting)
            }
            guard let next = try await following else { return .all }
            portion = next
        }
    }

    private func read() async throws(FileError) -> ChunkReader.Portion {
        let reader = reader
        return try await files.run { () throws(FileError) in try reader.read(atMost: Self.portion) }
    }

    /// The length of the queue if it is full; then `pushed` tells how many still fitted.
    private func push(
        _ jobs: [[UInt8]], _ chunkNumber: inout Int, _ pushed: inout Int
    ) async throws(QueueError) -> Int? {
        var chunks: [ProducerQueue.Chunk] = []
        for start in stride(from: 0, to: jobs.count, by: QueueLimits.jobsPerChunk) {
            let end = min(start + QueueLimits.jobsPerChunk, jobs.count)
            chunks.append(chunk(Array(jobs[start..<end]), &chunkNumber))
        }
        guard let longestQueue else {
            guard !chunks.isEmpty else { return nil }
            _ = try await queue.enqueue(chunks, batch: batch)
            pushed += jobs.count
            return nil
        }
        // One at a time: after a chunk that does not fit, a smaller one behind it would.
        for chunk in chunks {
            let waiting = try await enqueue(chunk, longestQueue: longestQueue, &pushed)
            guard let waiting else { continue }
            let room = min(max(0, longestQueue - waiting), chunk.jobs.count)
            guard room > 0 else { return waiting }
            let rest = self.chunk(Array(chunk.jobs.prefix(room)), &chunkNumber)
            return try await enqueue(rest, longestQueue: longestQueue, &pushed) ?? longestQueue
        }
        return nil
    }

    private func enqueue(
        _ chunk: ProducerQueue.Chunk, longestQueue: Int, _ pushed: inout Int
    ) async throws(QueueError) -> Int? {
        let answers = try await queue.enqueue([chunk], batch: batch, longestQueue: longestQueue)
        if case .full(let waiting)? = answers.first { return waiting }
        pushed += chunk.jobs.count
        return nil
    }

    private func chunk(_ jobs: [[UInt8]], _ number: inout Int) -> ProducerQueue.Chunk {
        number += 1
        return ProducerQueue.Chunk(name: "\(run)-\(number)", jobs: jobs)
    }
}
