import Foundation
import Synchronization

/// The progress of indexing, which the pages show.
final class IndexStatus: Sendable {
    struct State: Codable, Equatable, Sendable {
        /// Whether a scan is writing documents.
        var isIndexing = false
        /// The number of changed sources that the scan has handled.
        var done = 0
        /// The number of changed sources that the scan has found so far.
        var total = 0
        /// The number of finished scans.
        var scans = 0
        /// What the last scan couldn't do.
        var problem: String?

        /// What pages show; empty if there is nothing to tell.
        var text: String { problem ?? (isIndexing ? "Indexing: \(done) of \(total)" : "") }
    }

    private let state = Mutex(State())

    var current: State { state.withLock { $0 } }

    func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
}
