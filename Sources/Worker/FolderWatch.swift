import EventLog
import Files
import Threading

/// Notices that a folder is no longer where the worker opened it: removed, renamed, unmounted, or something mounted
/// over it. From then on jobs would be buried for missing sources, or succeed where nobody sees their thumbnails. The
/// fence lets nobody open the folder again, so the worker ends, and whoever started it starts it anew.
struct FolderWatch: Sendable {
    let sources: SourceRoots
    let outputs: OutputDirectory
    /// A share that hangs answers no look.
    let files: BlockingThreads
    let log: EventLog

    /// Between two looks.
    static let pace = Duration.seconds(2)

    /// Returns true once a folder is no longer in its place; false once the task is cancelled.
    func untilDisplaced() async -> Bool {
        while true {
            do { try await Task.sleep(for: Self.pace) } catch { return false }
            let displaced = await files.run { [sources, outputs] in
                sources.displaced + (outputs.isInPlace ? [] : [outputs.directory])
            }
            guard displaced.isEmpty else {
                log.error(
                    "worker.folder_displaced",
                    [
                        "folders": .list(displaced),
                        "why": "removed, renamed, unmounted or mounted over",
                        "do": "start the worker again once they are back",
                    ])
                return true
            }
        }
    }
}
