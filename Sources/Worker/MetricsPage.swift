import Glibc
import JobQueue
import MemoryBudget
import Metrics
import ProgramOptions
import Redis
import Units

/// The metrics of a worker, each with its meaning: the one place where their names stand. docs/operating.md has the
/// same as a table, and a test compares the two.
struct MetricsPage: Sendable {
    let worker: WorkerID
    let queue: String
    let jobs: JobMetrics
    let running: RunningJobs
    let admission: MemoryAdmission
    let lease: LeaseKeeper
    let redis: RedisHealth
    let health: WorkerHealth
    let process: ProcessFigures

    /// Everything as it is now. Asks nobody: what Redis knows was told at the last renewal of the lease.
    var families: [MetricFamily] {
        let figures = jobs.figures
        return ofJobs(figures) + ofMemory(figures) + ofClaims(figures) + ofRedis(figures) + ofQueue
            + ofProcess
    }

    // MARK: this worker

    private func ofJobs(_ figures: JobMetrics.Figures) -> [MetricFamily] {
        var total = MetricFamily(
            "thumbnail_jobs_total", .counter,
            "Claims that ended, by outcome; code says why one was retried or buried, and is empty otherwise.")
        let outcomes = figures.jobs.sorted {
            ($0.key.outcome.rawValue, $0.key.label) < ($1.key.outcome.rawValue, $1.key.label)
        }
        for (key, count) in outcomes {
            total.add(Double(count), [.init("outcome", key.outcome.rawValue), .init("code", key.label)])
        }
        var stages = MetricFamily(
            "thumbnail_job_stage_seconds", .histogram,
            "Where the time of attempts at jobs went, failed ones included: one for each stage that was entered. "
                + "wait: for memory and for a core; decode: all of a rendering that failed.")
        for stage in JobMetrics.Stage.allCases {
            if let times = figures.stages[stage] { stages.add(times, [.init("stage", stage.rawValue)]) }
        }
        return [
            total, stages,
            MetricFamily(
                "thumbnail_jobs_running", .gauge, "Jobs that this worker has claimed and not settled.",
                Double(running.counts.running)),
            MetricFamily(
                "thumbnail_jobs_waiting_for_memory", .gauge,
                "Who stands in line for a part of the memory budget: jobs, and the claim of the next one.",
                Double(admission.waiting)),
            MetricFamily(
                "thumbnail_source_bytes_total", .counter, "Bytes of sources whose thumbnails were written.",
                Double(figures.sourceBytes)),
            MetricFamily(
                "thumbnail_output_bytes_total", .counter, "Bytes of thumbnails that were written.",
                Double(figures.outputBytes)),
        ]
    }

    private func ofMemory(_ figures: JobMetrics.Figures) -> [MetricFamily] {
        var footprints = MetricFamily(
            "thumbnail_job_footprint_bytes", .histogram,
            "What jobs were admitted with: the predicted peak of each.")
        footprints.add(figures.footprints)
        return [
            MetricFamily(
                "thumbnail_memory_budget_bytes", .gauge, "What all jobs together may hold.",
                Double(admission.total.bytes)),
            MetricFamily(
                "thumbnail_memory_reserved_bytes", .gauge, "What admitted jobs hold of the budget now.",
                Double(admission.reserved.bytes)),
            MetricFamily(
                "thumbnail_memory_reserved_peak_bytes", .gauge,
                "The most that was reserved at one time since the worker started.",
                Double(admission.peakReserved.bytes)),
            footprints,
        ]
    }

    private func ofClaims(_ figures: JobMetrics.Figures) -> [MetricFamily] {
        var build = MetricFamily(
            "thumbnail_build_info", .gauge, "Always 1; the labels say who answers.")
        build.add(
            1,
            [
                .init("version", programVersion), .init("worker", worker.description), .init("queue", queue),
            ])
        return [
            MetricFamily(
                "thumbnail_claim_age_seconds", .gauge,
                "How long the claim loop has completed no attempt although nothing held it back; 0 while it waits "
                    + "for its jobs, for Redis, or for the end of a pause. Beyond 30 it is stuck.",
                health.claimAge / .seconds(1)),
            MetricFamily(
                "thumbnail_leases_lost_total", .counter,
                "How often others took this worker's jobs because its lease was over.",
                Double(figures.leasesLost)),
            MetricFamily(
                "thumbnail_jobs_reclaimed_total", .counter,
                "Jobs that this worker took back from dead ones.", Double(figures.jobsReclaimed)),
            MetricFamily(
                "thumbnail_draining", .gauge, "1 once it was told to stop.",
                health.isDraining.isSet ? 1 : 0),
            build,
        ]
    }

    private func ofRedis(_ figures: JobMetrics.Figures) -> [MetricFamily] {
        var roundTrips = MetricFamily(
            "thumbnail_redis_round_trip_seconds", .histogram,
            "From a request to its answer, without those that sleep in Redis until a job comes.")
        roundTrips.add(figures.roundTrips)
        return [
            MetricFamily(
                "thumbnail_redis_connected", .gauge, "1 while all connections to Redis work.",
                redis.isUp ? 1 : 0),
            MetricFamily(
                "thumbnail_redis_reconnects_total", .counter,
                "Connections that were made anew after they had worked before.", Double(redis.reconnects)),
            roundTrips,
        ]
    }

    // MARK: the queue

    /// Nothing is told of a queue of which nothing was heard lately.
    private var ofQueue: [MetricFamily] {
        let figures = lease.figures
        func gauge(_ name: String, _ help: String, _ value: Double?) -> MetricFamily {
            of(.gauge, name, help, value)
        }
        var states = gauge(
            "thumbnail_queue_jobs", "Jobs by where they are: waiting, running, delayed or dead", nil)
        if let figures {
            let counts = [
                ("waiting", figures.waiting), ("running", figures.running), ("delayed", figures.delayed),
                ("dead", figures.dead),
            ]
            for (state, count) in counts {
                states.add(Double(count), [.init("queue", queue), .init("state", state)])
            }
        }
        return [
            states,
            gauge(
                "thumbnail_queue_oldest_age_seconds",
                "How long the oldest waiting job has been seen waiting; 0 when none waits",
                figures.map { ($0.oldestWaited ?? .zero) / .seconds(1) }),
            gauge(
                "thumbnail_queue_workers", "Workers whose lease runs", figures.map { Double($0.workers) }),
            gauge(
                "thumbnail_queue_paused", "1 while the queue is paused",
                lease.lastAnswer.map { $0.isPaused ? 1 : 0 }),
            of(
                .counter, "thumbnail_queue_crashed_jobs_total",
                "Jobs that were buried because workers kept dying under them",
                figures.map { Double($0.crashed) }),
        ]
    }

    private func of(
        _ kind: MetricFamily.Kind, _ name: String, _ help: String, _ value: Double?
    ) -> MetricFamily {
        var family = MetricFamily(
            name, kind,
            help + ". The same whichever worker is asked: take the max over workers, never the sum.")
        if let value { family.add(value, [.init("queue", queue)]) }
        return family
    }

    // MARK: the process

    private var ofProcess: [MetricFamily] {
        [
            MetricFamily(
                "process_resident_memory_bytes", .gauge, "Resident memory.",
                process.resident.map { Double($0.bytes) }),
            MetricFamily(
                "process_resident_memory_peak_bytes", .gauge,
                "The most memory that was ever resident (VmHWM).",
                process.residentPeak.map { Double($0.bytes) }),
            MetricFamily(
                "process_cpu_seconds_total", .counter, "Processor time, user and system.",
                process.processorTime.map { $0 / .seconds(1) }),
            MetricFamily(
                "process_open_fds", .gauge, "Open file descriptors.", process.openDescriptors.map(Double.init)
            ),
            MetricFamily(
                "process_start_time_seconds", .gauge, "When the process started, since 1970.",
                Double(process.startedAt.milliseconds) / 1000),
        ]
    }
}

extension JobMetrics.OutcomeAndCode {
    fileprivate var label: String { code?.rawValue ?? "" }
}
