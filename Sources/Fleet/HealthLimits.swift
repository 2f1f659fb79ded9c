import CommandLineOptions

/// What is bearable, as the operator says.
struct HealthLimits: Sendable {
    /// The oldest job may wait so long without any job being claimed.
    var stalledAfter: Duration = .seconds(60)
    /// Of the jobs of the last minutes, in hundredths, that fail and whose picture is not to blame.
    var failedPercent = 10
    /// Workers that have to be alive.
    var workers = 0

    init() {}

    init(_ values: OptionValues) {
        stalledAfter = values[FleetOptions.stalledAfter]
        failedPercent = values[FleetOptions.maxFailed]
        workers = values[FleetOptions.minWorkers]
    }
}
