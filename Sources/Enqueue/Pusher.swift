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
    private let waitsForRoom: Bool
    /// In the names of all chunks: other processes push into the same batch.
    private let run: String
    private let files = BlockingThreads(name: "file")

    enum End: Equatable {
        case all
        /// The rest would have made the queue too long, and nobody waits for room.
        case full(waiting: Int)
        /// The tally was told to stop.
        case stopped
    }

    /// Jobs of one round trip: large enough that the round trip is nothing beside the work in it.
    private static let portion = 16 * QueueLimits.jobsPerChunk
    /// Between two looks whether a full queue has room again.
    private static let roomPace = Duration.milliseconds(250)

    init(
        queue: ProducerQueue, reader: ChunkReader, tally: Tally, display: ProgressDisplay,
        longestQueue: Int? = nil, waitsForRoom: Bool = false
    ) {
        self.queue = queue
        self.reader = reader
        self.tally = tally
        self.display = display
        self.longestQueue = longestQueue
        self.waitsForRoom = waitsForRoom
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
        guard let longestQueue else { return try await send(chunks) }
        // One at a time: behind a chunk that does not fit, a smaller one would.
        for chunk in chunks {
            if let end = try await fit(chunk, into: longestQueue, &chunkNumber) { return end }
        }
        return nil
    }

    /// Pushes what fits of a chunk, so that a backlog of N is used up to N, and perhaps waits for room for the
    /// rest of it.
    private func fit(
        _ chunk: ProducerQueue.Chunk, into longestQueue: Int, _ chunkNumber: inout Int
    ) async throws(EnqueueError) -> End? {
        var chunk = chunk
        while let end = try await send([chunk]) {
            guard case .full(let waiting) = end else { return end }
            if waiting < longestQueue {
                let room = min(longestQueue - waiting, chunk.jobs.count)
                let part = self.chunk(chunk.jobs.prefix(room), &chunkNumber)
                // Others push, too: the room may be gone.
                if let end = try await send([part]) {
                    guard case .full = end, waitsForRoom else { return end }
                    continue
                }
                guard waitsForRoom else { return .full(waiting: longestQueue) }
                if room == chunk.jobs.count { return nil }
                chunk = self.chunk(chunk.jobs.dropFirst(room), &chunkNumber)
            } else {
                guard waitsForRoom else { return end }
                display.showFull(waiting: waiting, pushed: tally.summary.enqueued)
                do { try await Task.sleep(for: Self.roomPace) } catch { return .stopped }
            }
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
