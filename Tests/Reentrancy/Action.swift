/// The action of a callback.
enum Action: String, CaseIterable {
    case read, readStepwise, insert, update, delete, truncate, replace
    case addColumn, addColumnHere, renameTable, dropColumn, createTable, dropTable, createIndex, dropIndex
    case createTrigger, dropTrigger, createView, vacuum, reindex, analyze
    case begin, commit, rollback, savepoint, release, rollbackTo, inSavepoint
    case openBlob, readBlob, writeBlob, reopenBlob, closeBlob, releaseBlob
    case openSession, closeSession, releaseSession, changeset, attachFilter
    case openCursor, stepCursor, releaseCursor, copyRow, makeStatement, runStatement, releaseStatement, outerStatement
    case addObserver, removeObserver, addFunction, removeFunction, addCollation, removeCollation
    case foreignKeys, userVersion, journalMode, recursiveTriggers, cacheSize
    case interrupt, releaseMemory, clearSchemaCache, tableExists, columns, expandSchema
    case insertDocument, searchDocuments, selectTable, updateTable, dropVirtualTable
    case apply, recordChanges, attach, detach, checkpoint, notifyChanges, trace, stopTracing, progressHandler
    case otherConnectionAlters, otherConnectionWrites, releaseOnOtherThread, fail

    /// Whether the action runs SQL, or uses the connection in another way that is forbidden in a callback of SQLite's
    /// hooks.
    var usesConnection: Bool {
        switch self {
        case .releaseBlob, .releaseSession, .releaseCursor, .releaseStatement, .releaseOnOtherThread, .copyRow,
            .addObserver, .removeObserver, .addFunction, .removeFunction, .addCollation, .removeCollation,
            .interrupt, .releaseMemory, .clearSchemaCache, .trace, .stopTracing, .progressHandler,
            .otherConnectionAlters, .otherConnectionWrites, .fail,
            // These do nothing if no object exists that they could use.
            .readBlob, .writeBlob, .reopenBlob, .closeBlob, .closeSession, .changeset, .attachFilter, .stepCursor,
            .runStatement, .outerStatement:
            false
        default: true
        }
    }
}
