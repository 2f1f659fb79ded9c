import Files
import Geometry
import MemoryBudget
import Thumbnails
import Units

/// Why a job gave no thumbnails. Which of these are worth another attempt, and what is published of
/// them, is decided in `FailurePolicy`.
enum JobProblem: Error {
    /// The bytes are no job of this version.
    case invalidJob([String])
    case request(GeometryError)
    case source(FileError)
    case picture(PictureError)
    case budget(BudgetError)
    case output(FileError)
    case timedOut(limit: Duration)
    /// The worker gives the job back; nobody is told.
    case givenBack
}
