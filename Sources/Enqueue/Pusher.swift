import Files
import JobQueue
import Threading

/// Pushes all jobs of a run: while one portion is on its way to Redis, the next is read.
struct Pusher: Sendable {
    private let queue: ProducerQueue
    private let reader: ChunkReader
    private let tally: Tally
    private let display: ProgressDisplay
    /// Nil: no limit.
    private let longestQueue: Int?
    /// In the names of all chunks: other processes push into the same batch.
    private let run: String
    private let files = BlockingThreads(name: "file")

    enum End: Equatable {
        case all
        /// The rest would have made the queue too long.
        case full(waiting: Int)
        /// The tally was told to stop.
        case stopped
    }

    /// Jobs of one round trip: large enough that the round trip is nothing beside the work in it.
    private static let portion = 16 * QueueLimits.jobsPerChunk

    init(
        queue: ProducerQueue, reader: ChunkReader, tally: Tally, display: ProgressDisplay, longestQueue: Int?
    ) {
        self.queue = queue
        self.reader = reader
        self.tally = tally
        self.display = display
        self.longestQueue = longestQueue
        var generator = SystemRandomNumberGenerator()
        run = BatchName.token(using: &generator)
    }

    func push() async throws(EnqueueError) -> End {
        var warnings = SkipWarnings(tell: display.interrupt)
        var chunkNumber = 0
        var next = readAhead()
        while true {
            let portion: ChunkReader.Portion
            do throws(FileError) { portion = try await next.value.get() } catch { throw .file(error) }
            if !portion.isLast { next = readAhead() }
            for (path, reason) in portion.skipped {
                tally.skip(reason)
                warnings.note(path, reason)
            }
            if let end = try await push(portion.jobs, &chunkNumber) { return end }
            display.show(pushed: tally.summary.enqueued)
            if portion.isLast {
                warnings.close()
                return .all
            }
        }
    }

    /// Starts to read the next portion. A task of its own, which nobody waits for when pushing ends early:
    /// reading from a pipe cannot be cancelled.
    private func readAhead() -> Task<Result<ChunkReader.Portion, FileError>, Never> {
        Task { [files, reader] in
            do throws(FileError) {
                return .success(
                    try await files.run { () throws(FileError) in try reader.read(atMost: Self.portion) })
            } catch {
                return .failure(error)
            }
        }
    }

    /// Nil when all were pushed, else why not.
    private func push(_ jobs: [[UInt8]], _ chunkNumber: inout Int) async throws(EnqueueError) -> End? {
        var chunks: [ProducerQueue.Chunk] = []
        for start in stride(from: 0, to: jobs.count, by: QueueLimits.jobsPerChunk) {
            let end = min(start + QueueLimits.jobsPerChunk, jobs.count)
            chunks.append(chunk(jobs[start..<end], &chunkNumber))
        }
        if chunks.isEmpty { return nil }
        if longestQueue == nil { return try await send(chunks) }
        // One at a time: behind a chunk that does not fit, a smaller one would.
        for chunk in chunks {
            guard let end = try await send([chunk]) else { continue }
            // What still fits of it, so that a backlog of N is used up to N.
            guard case .full(let waiting) = end, let longestQueue, waiting < longestQueue else { return end }
            let room = min(longestQueue - waiting, chunk.jobs.count)
            return try await send([self.chunk(chunk.jobs.prefix(room), &chunkNumber)])
                ?? .full(waiting: longestQueue)
        }
        return nil
    }

    /// One round trip, counted.
    private func send(_ chunks: [ProducerQueue.Chunk]) async throws(EnqueueError) -> End? {
        guard tally.beginPush() else { return .stopped }
        var pushed = 0
        var last: [UInt8]?
        defer { tally.endPush(pushed: pushed, last: last) }
        let answers: [ProducerQueue.Enqueued]
        do throws(QueueError) {
            answers = try await queue.enqueue(chunks, batch: tally.summary.batch, longestQueue: longestQueue)
        } catch {
            throw .queue(error)
        }
        var failure: EnqueueError?
        var end: End?
        for (chunk, answer) in zip(chunks, answers) {
            switch answer {
            case .enqueued, .already:
                pushed += chunk.jobs.count
                if failure == nil { last = chunk.jobs.last }
            case .full(let waiting): end = .full(waiting: waiting)
            case .refused(let reason): failure = failure ?? .queue(.redis(reason))
            }
        }
        if let failure { throw failure }
        return end
    }

    private func chunk(_ jobs: ArraySlice<[UInt8]>, _ number: inout Int) -> ProducerQueue.Chunk {
        number += 1
        return ProducerQueue.Chunk(name: "\(run)-\(number)", jobs: Array(jobs))
    }
}
