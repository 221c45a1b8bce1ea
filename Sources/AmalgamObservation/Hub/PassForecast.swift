import AmalgamConcurrency
import Foundation

/// Whether a commit will lead to a pass at once. Used on the writing connection only.
///
/// A thread takes as long to wake up as a commit takes to write into the WAL file. Where the last commit was as quick as
/// that, and a pass followed, the thread of the next pass is woken up when the next commit begins: it is there when the
/// commit is done.
struct PassForecast {
    /// What a commit may take for which a thread waits. It looks at the clock meanwhile, and sleeps no more.
    static let patience = Duration.microseconds(50)

    /// A thread that waits for another one on the same processor keeps it from working.
    private static let hasProcessors = ProcessInfo.processInfo.activeProcessorCount > 1

    private weak var database: (any ObservableDatabase)?
    private var beginning: ContinuousClock.Instant?

    /// A commit begins that concerns somebody.
    ///
    /// - Returns: where to read soon; nil when that is not to be expected.
    mutating func commitBegins() -> (any ObservableDatabase)? {
        guard Self.hasProcessors else { return nil }
        beginning = .now
        defer { database = nil }
        return database
    }

    /// A commit has ended, or was rolled back.
    ///
    /// - Returns: whether it was quick.
    mutating func commitEnds() -> Bool {
        defer { beginning = nil }
        return beginning.map { .now - $0 < Self.patience } ?? false
    }

    /// A pass follows a quick commit.
    mutating func passFollows(in database: any ObservableDatabase) { self.database = database }
}
