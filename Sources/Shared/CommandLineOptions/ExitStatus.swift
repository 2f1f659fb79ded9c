/// How a program ends, after sysexits(3); scripts and service managers rely on the numbers.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    case someJobsFailed = 1
    /// EX_USAGE: the command line is wrong.
    case usage = 64
    /// EX_NOINPUT: nothing was found to work on, where that was said to be an error.
    case noInput = 66
    /// EX_UNAVAILABLE.
    case redisUnreachable = 69
    /// EX_IOERR: to be started again, once the folder is back.
    case folderDisplaced = 74
    /// EX_TEMPFAIL: trying again later may work.
    case queueFull = 75
    /// EX_CONFIG: what the options name is not there or not fit; trying again does not help.
    case configuration = 78
    /// 128 + SIGINT, as shells have it.
    case interrupted = 130

    /// For the help.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .someJobsFailed: "some jobs failed"
        case .usage: "the command line is wrong"
        case .noInput: "nothing was found to enqueue, and --fail-if-empty was given"
        case .redisUnreachable: "Redis cannot be reached"
        case .folderDisplaced: "a source root or the output is no longer where it was; start it again"
        case .queueFull: "the queue is full; try again later"
        case .interrupted: "interrupted; what was begun goes on"
        case .configuration: "something that the options name is missing or unfit"
        }
    }
}
