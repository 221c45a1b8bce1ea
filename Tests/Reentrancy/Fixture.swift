/// An object or a setting of the connection while it is used.
enum Fixture: String, CaseIterable {
    case file, wal, observer, session, filteredSession, blob, readingBlob, cursor, writingCursor, oldStatement
    case transaction, savepoint, trace, traceRows, progress, authorizer, foreignKeys, otherConnection

    var callbacks: [Callback] {
        switch self {
        case .observer: [.observes, .willChange, .didChange, .willCommit, .didCommit, .didRollback]
        case .filteredSession: [.sessionFilter]
        case .trace: [.trace]
        case .traceRows: [.traceRow]
        case .progress: [.progress]
        case .authorizer: [.authorizer]
        default: []
        }
    }
}
