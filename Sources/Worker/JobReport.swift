import Exif
import Files
import Geometry
import JobQueue
import Thumbnails
import Units

extension Job {
    /// Where a thumbnail of this job goes, beneath the output directory.
    ///
    /// A path of the producer's own serves one scale; with several, each file has its scale in its name:
    /// `a.jpg` becomes `a@2x.jpg`, as app developers know it.
    func outputPath(at scale: Double, source relativePath: String) -> String {
        guard let output else {
            return OutputPath(
                width: pointWidth, height: pointHeight, scale: scale, sourceRelativePath: relativePath
            ).description
        }
        return scales.count == 1 ? output : OutputPath.scaled(output, scale: scale)
    }
}

extension JobResult {
    /// What is published of a job that is done.
    init(
        of job: Job, _ source: SourceFile, _ plan: RenderPlan, admittedWith footprint: ByteCount,
        _ rendering: Rendering, _ outputs: [Output], _ times: StageTimes
    ) {
        self.init(job.ticket, source: job.source, outputs: outputs)
        let (stored, displayed) = (plan.picture.stored, plan.picture.displayed)
        self.stored = Size(width: stored.width, height: stored.height)
        self.displayed = Size(width: displayed.width, height: displayed.height)
        orientation = Orientation(
            value: plan.picture.orientation.value.rawValue, from: plan.picture.orientation.source.rawValue)
        decodeScale = Double(rendering.decodeScale.eighths) / 8
        footprintBytes = Int(footprint.bytes)
        notes = job.notes + rendering.notes
        partial = rendering.rowsGood == nil ? nil : true
        timings = Timings(times)
    }
}

extension JobResult.Timings {
    fileprivate init(_ times: StageTimes) {
        self.init()
        wait = times.wait.milliseconds
        read = times.read.milliseconds
        decode = times.decode.milliseconds
        resample = times.resample.milliseconds
        encode = times.encode.milliseconds
        write = times.write.milliseconds
    }
}

extension Duration? {
    /// To the microsecond: finer digits are noise.
    fileprivate var milliseconds: Double { ((self ?? .zero) / .microseconds(1)).rounded() / 1000 }
}
