/// The places from which SQLite calls code of the application.
enum Callback: String, CaseIterable {
    case function, aggregateStep, aggregateResult, windowStep, windowInverse, windowValue, collation
    case tokenizer, auxiliaryFunction
    case tableBestIndex, tableOpen, tableFilter, tableNext, tableColumn, tableInsert, tableUpdate, tableDelete
    case observes, willChange, didChange, willCommit, didCommit, didRollback
    case trace, traceRow, progress, authorizer, busy
    case sessionFilter, applyTable, applyChange, conflict

    /// Whether a use of the connection throws `SQLITE_MISUSE`, whatever it is.
    var forbidsConnection: Bool {
        switch self {
        case .observes, .willChange, .didChange, .willCommit, .trace, .traceRow, .progress, .authorizer, .busy,
            .sessionFilter, .collation:
            true
        default: false
        }
    }
}
