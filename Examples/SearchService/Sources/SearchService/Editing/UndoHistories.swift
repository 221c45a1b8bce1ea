import Amalgam
import Synchronization

/// The edits that can be undone, by document. They are in memory: a restart forgets them, and the audit log doesn't.
final class UndoHistories: Sendable {
    private struct State {
        var histories: [Int64: UndoHistory] = [:]
        /// The documents, the one that was used last at the end.
        var order: [Int64] = []
    }

    private static let documentLimit = 500
    private let state = Mutex(State())

    func history(of documentID: Int64) -> UndoHistory {
        state.withLock { state in
            state.order.removeAll { $0 == documentID }
            state.order.append(documentID)
            if state.order.count > Self.documentLimit { state.histories[state.order.removeFirst()] = nil }
            if let history = state.histories[documentID] { return history }
            // The triggers update the full-text indexes and the version, which the history doesn't record.
            let history = UndoHistory(tables: ["document"], limit: 50, firesTriggers: true)
            state.histories[documentID] = history
            return history
        }
    }
}
