import Failpoints
import Files
import Geometry
import JobQueue
import MemoryBudget
import Thumbnails
import Threading
import Units

/// The way of one job, from its fields to its thumbnails on the disk.
///
/// Files are opened, read and written on the blocking threads that jobs run on, as many as there are jobs: a
/// hundred slow sources overlap. Pictures are decoded on one thread a core. What bounds both is the memory
/// budget.
struct JobProcessor: Sendable {
    let sources: SourceRoots
    let outputs: OutputDirectory
    let cores: CoreThreads
    let writes: PendingWrites
    let options: WorkerOptions
    let metrics: JobMetrics
    /// The memory of all jobs together.
    let budget: ByteCount
    /// Raised when running jobs are to be given back.
    let giveBack: Flag

    /// Makes the thumbnails of one job. `reservation` is small or nothing when it comes and holds the job's
    /// footprint from the admission on; it is the caller's to end.
    func process(
        _ job: Job, holding reservation: inout Reservation
    ) async throws(JobProblem) -> JobResult {
        var times = StageTimes()
        // Also of an attempt that fails or is given back, and whoever settles the job in the end.
        defer { metrics.note(times) }
        let request = try request(of: job)
        // Somebody needed what this job was claimed with.
        if reservation.footprint < ClaimLoop.probe { try await admit(ClaimLoop.probe, &reservation, &times) }
        var opened = try await inspect(job.source, &times)
        let plan = try plan(opened.picture, request, fileBytes: opened.source.size)
        let rendering = try await render(plan, of: &opened, holding: &reservation, &times)
        let written = try await write(rendering, of: job, from: opened.source, &times)
        metrics.noteBytes(read: opened.source.size, written: written.reduce(0) { $0 + $1.bytes })
        return JobResult(
            of: job, opened.source, plan, admittedWith: reservation.footprint, rendering, written, times)
    }

    /// Admits, reads and renders. Some data turns out not to be for the decoder that was planned for, whose
    /// memory was admitted: then once more, with what the decoder takes that takes every file.
    ///
    /// Also the second time the plan is followed from its start. Whoever runs the job, and however often the
    /// file was replaced meanwhile, the thumbnails follow from the bytes that are read last.
    private func render(
        _ plan: RenderPlan, of opened: inout OpenedPicture, holding reservation: inout Reservation,
        _ times: inout StageTimes
    ) async throws(JobProblem) -> Rendering {
        do throws(JobProblem) {
            return try await render(plan, of: &opened, with: plan.footprint.total, &reservation, &times)
        } catch {
            guard case .picture(.needsMemory(let footprint)) = error else { throw error }
            // The bytes are given up, so that the job waits in line with nothing.
            return try await render(plan, of: &opened, with: footprint, &reservation, &times)
        }
    }

    private func render(
        _ plan: RenderPlan, of opened: inout OpenedPicture, with footprint: ByteCount,
        _ reservation: inout Reservation, _ times: inout StageTimes
    ) async throws(JobProblem) -> Rendering {
        var bytes = opened.bytes.take()
        if bytes == nil || !reservation.extend(to: footprint) {
            // Whoever waits holds nothing, a small file's bytes included.
            bytes = nil
            try await admit(footprint, &reservation, &times)
        }
        metrics.noteAdmission(of: footprint)
        await Failpoint.admitted.reach()
        let whole: SourceBytes
        if let bytes { whole = bytes } else { whole = try read(opened.source, plan, &times) }
        await Failpoint.read.reach()
        return try await render(whole, plan, within: footprint, &times)
    }

    private func request(of job: Job) throws(JobProblem) -> ThumbnailRequest {
        do throws(GeometryError) {
            return ThumbnailRequest(
                points: try PointSize(width: job.pointWidth, height: job.pointHeight), scales: job.scales,
                quality: job.quality, options: options.rendering)
        } catch {
            throw .request(error)
        }
    }

    /// Opens the source and reads as much of it as its header and orientation take, or a small one whole.
    private func inspect(
        _ path: String, _ times: inout StageTimes
    ) async throws(JobProblem) -> OpenedPicture {
        let start = StageTimes.now
        defer { times.read.extend(since: start) }
        let opened = try OpenedPicture(path, beneath: sources)
        await Failpoint.inspected.reach(path)
        return opened
    }

    private func plan(
        _ picture: InspectedPicture, _ request: ThumbnailRequest, fileBytes: ByteCount
    ) throws(JobProblem) -> RenderPlan {
        do throws(PictureError) {
            return try RenderPlan(
                picture, request, fileBytes: Int(clamping: fileBytes.bytes), within: budget)
        } catch {
            throw .picture(error)
        }
    }

    /// Waits in line, holding nothing, until the job's memory is there.
    private func admit(
        _ footprint: ByteCount, _ reservation: inout Reservation, _ times: inout StageTimes
    ) async throws(JobProblem) {
        let start = StageTimes.now
        defer { times.wait.extend(since: start) }
        do throws(BudgetError) { try await reservation.exchange(for: footprint) } catch {
            throw error == .cancelled ? .givenBack : .budget(error)
        }
    }

    private func read(
        _ source: SourceFile, _ plan: RenderPlan, _ times: inout StageTimes
    ) throws(JobProblem) -> SourceBytes {
        let start = StageTimes.now
        defer { times.read.extend(since: start) }
        do throws(FileError) { return try source.readAll(limit: plan.footprint.source) } catch {
            throw .source(error)
        }
    }

    /// Decodes, resamples, turns and encodes on one core.
    private func render(
        _ bytes: SourceBytes, _ plan: RenderPlan, within footprint: ByteCount, _ times: inout StageTimes
    ) async throws(JobProblem) -> Rendering {
        let submitted = StageTimes.now
        let (timeout, giveBack) = (options.jobTimeout, giveBack)
        let (outcome, started, ended) = await cores.run {
            let started = StageTimes.now
            let outcome = Result { () throws(PictureError) in
                try bytes.withBytes { bytes throws(PictureError) in
                    try plan.confirmed(by: bytes).render(bytes, within: footprint) {
                        giveBack.isSet || StageTimes.now - started > timeout
                    }
                }
            }
            return (outcome, started, StageTimes.now)
        }
        times.wait.extend(by: started - submitted)
        do throws(PictureError) {
            let rendering = try outcome.get()
            times.add(rendering)
            await Failpoint.rendered.reach()
            return rendering
        } catch {
            times.decode.extend(by: ended - started)
            guard error == .stopped else { throw .picture(error) }
            throw giveBack.isSet ? .givenBack : .timedOut(limit: timeout)
        }
    }

    private func write(
        _ rendering: Rendering, of job: Job, from source: SourceFile, _ times: inout StageTimes
    ) async throws(JobProblem) -> [JobResult.Output] {
        // Whoever gave the job back may see another worker write these files now.
        guard !giveBack.isSet else { throw .givenBack }
        let start = StageTimes.now
        defer { times.write.extend(since: start) }
        writes.begin()
        defer { writes.end() }
        do throws(FileError) {
            var written: [JobResult.Output] = []
            for thumbnail in rendering.thumbnails {
                let path = job.outputPath(at: thumbnail.scale, source: source.relativePath)
                try outputs.write(thumbnail.encoded, to: path, durable: options.isDurable)
                written.append(
                    JobResult.Output(
                        path: path, width: thumbnail.size.width, height: thumbnail.size.height,
                        bytes: thumbnail.encoded.count, scale: thumbnail.scale))
            }
            await Failpoint.renamed.reach()
            return written
        } catch {
            throw .output(error)
        }
    }
}

/// A source and what its header says.
private struct OpenedPicture: Sendable {
    let source: SourceFile
    let picture: InspectedPicture
    /// The whole file, if it is small and nobody has taken it yet.
    var bytes: SourceBytes?

    /// A file up to this size is read whole at once: half of what a job holds before it is admitted
    /// (`ClaimLoop.probe`). Its bytes are then neither asked for piece by piece nor twice.
    private static let wholeLimit = ByteCount.kibibytes(64)

    init(_ path: String, beneath sources: SourceRoots) throws(JobProblem) {
        do throws(FileError) {
            source = try sources.open(path)
            // What says that it is empty may be a file of /proc.
            let isSmall = source.size > .zero && source.size <= Self.wholeLimit
            bytes = isSmall ? try source.readAll(limit: Self.wholeLimit) : nil
        } catch {
            throw .source(error)
        }
        if let bytes { picture = try Self.inspect(bytes) } else { picture = try Self.inspect(source) }
    }

    private static func inspect(_ bytes: SourceBytes) throws(JobProblem) -> InspectedPicture {
        do throws(PictureError) {
            return try bytes.withBytes { bytes throws(PictureError) in try InspectedPicture(inspecting: bytes)
            }
        } catch {
            throw .picture(error)
        }
    }

    private static func inspect(_ source: SourceFile) throws(JobProblem) -> InspectedPicture {
        var inspection = PictureInspection()
        while true {
            let window: [UInt8]
            do throws(FileError) {
                window = try source.read(
                    at: Int64(inspection.wanted.lowerBound), count: inspection.wanted.count)
            } catch {
                throw .source(error)
            }
            do throws(PictureError) {
                guard let found = try inspection.take(window.span) else { continue }
                return found
            } catch {
                throw .picture(error)
            }
        }
    }
}
