/// The uses of the connection that make SQLite call back.
enum ConnectionUse: String, CaseIterable {
    case selectFunction, updateFunction, insertFunction, deleteFunction, aggregate, window
    case sort, insertCollated, indexCollated
    case insertDocument, searchDocuments, rebuildDocuments
    case selectTable, joinTable, insertTable, updateTable, deleteTable
    case update, delete, truncate, replace, cascade, insertReturning, upsert, failHalfway
    case beginAndCommit, beginAndRollback, savepoint, savepointRollback
    case writeBlob, stepCursor, apply, applyInverted, waitForLock
    case alter, createTable, dropTable, vacuum, recursion

    /// The callbacks of the use, regardless of fixtures.
    var callbacks: [Callback] {
        switch self {
        case .selectFunction, .updateFunction, .insertFunction, .deleteFunction: [.function]
        case .aggregate: [.aggregateStep, .aggregateResult]
        case .window: [.windowStep, .windowInverse, .windowValue]
        case .sort, .insertCollated, .indexCollated: [.collation]
        case .insertDocument, .rebuildDocuments: [.tokenizer]
        case .searchDocuments: [.auxiliaryFunction, .tokenizer]
        case .selectTable: [.tableBestIndex, .tableOpen, .tableFilter, .tableNext, .tableColumn]
        case .joinTable: [.tableFilter, .tableNext, .tableColumn, .function]
        case .insertTable: [.tableInsert]
        case .updateTable: [.tableUpdate, .tableNext]
        case .deleteTable: [.tableDelete, .tableFilter]
        case .apply, .applyInverted: [.applyTable, .applyChange, .conflict]
        case .waitForLock: [.busy]
        case .stepCursor: [.function]
        default: []
        }
    }
}
