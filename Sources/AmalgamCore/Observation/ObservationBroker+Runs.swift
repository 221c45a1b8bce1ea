import CAmalgam

// Running statements, and the observers of their changes.
extension ObservationBroker {
    /// Whether deletions in a table are observed. If so, SQLite must delete the rows one by one.
    func observesDeletions(_ table: String) -> Bool {
        let kind = DatabaseEventKind.delete(tableName: table)
        return registrations.contains { $0.observes(kind) }
    }

    /// Whether no observer receives the changes of the statement, as determined when the statement last ran.
    ///
    /// The observers were asked in the transaction of the last run. If this transaction has ended, or if the observers
    /// or the schema have changed since, the method returns false, because the observers must be asked again.
    func hasNoListeners(_ statement: Statement) -> Bool {
        guard let statementListeners = statement.statementListeners, statementListeners.generation == generation else {
            return false
        }
        return statementListeners.isEmpty
    }

    /// Starts reporting the changes of a statement.
    func beginRun(of statement: Statement) {
        let statementListeners = statementListeners(of: statement)
        if statementListeners.includesDeletions { statement.requireRowDeletions() }
        var run = ObservedRun(statementListeners: statementListeners, statement: statement.sqliteStatement)
        if !statementListeners.listenersWithoutRows.isEmpty {
            run.reportedChangeCount = amalgam_changes_so_far(statement.sqliteStatement)
        }
        begin(run)
        database.reportRows(!statementListeners.isEmpty)
    }

    /// Starts reporting the changes of C code that changes rows without a statement of the library.
    func beginUnattributedRun() {
        begin(ObservedRun(statementListeners: currentUnattributedListeners))
        database.reportRows(true)
    }

    /// Starts reporting a write through a blob handle. `endRun()` stops reporting the write.
    ///
    /// - Parameter statementListeners: the observers that received the last write through the handle.
    /// - Returns: the observers that receive this write.
    func beginRun(of write: BlobWrite, _ kind: DatabaseEventKind, _ statementListeners: StatementListeners?)
        -> StatementListeners
    {
        // No statement of the library opens the blob, so schema changes may be unnoticed.
        database.noticeSchemaChanges()
        let isCurrent = statementListeners?.generation == generation
        let statementListeners =
            isCurrent
            ? statementListeners!
            : StatementListeners(
                foreseenKinds: [kind], virtualTables: [], registrations: registrations, generation: generation)
        begin(ObservedRun(statementListeners: statementListeners))
        liveRow.blobWrite = write
        database.reportRows(!statementListeners.isEmpty)
        return statementListeners
    }

    func begin(_ newRun: ObservedRun) {
        if let run { outerRuns.append(run) }
        run = newRun
    }

    /// Stops reporting the changes of the innermost statement.
    func endRun() {
        liveRow.blobWrite = nil
        if run?.statementListeners.listenersWithoutRows.isEmpty == false { notifyChangesWithoutRows() }
        notifyUnforeseenChanges()
        run = outerRuns.popLast()
        updateRowHook()
    }

    /// Installs or removes the pre-update hook. Between statements, the hook reports the changes of C code.
    func updateRowHook() {
        if let run {
            database.reportRows(run.statement == nil || !run.statementListeners.isEmpty)
        } else {
            database.reportRows(!registrations.isEmpty)
        }
    }

    func statementListeners(of statement: Statement) -> StatementListeners {
        if let statementListeners = statement.statementListeners, statementListeners.generation == generation {
            return statementListeners
        }
        let statementListeners = StatementListeners(
            foreseenKinds: statement.eventKinds, virtualTables: statement.changedVirtualTables,
            registrations: registrations, generation: generation)
        statement.statementListeners = statementListeners
        return statementListeners
    }

    var currentUnattributedListeners: StatementListeners {
        if let unattributedListeners, unattributedListeners.generation == generation { return unattributedListeners }
        let statementListeners = StatementListeners(
            foreseenKinds: [], virtualTables: [], registrations: registrations, generation: generation)
        unattributedListeners = statementListeners
        return statementListeners
    }

    /// Discards the pointers to names of tables, which SQLite frees when the schema changes.
    func schemaDidChange() {
        generation &+= 1
        run?.statementListeners.schemaDidChange()
        for run in outerRuns { run.statementListeners.schemaDidChange() }
    }

    func notify(_ change: SchemaChange) {
        for registration in registrations { registration.schemaObserver?.databaseDidChange(schema: change) }
    }

    /// Installs the pre-update hook when a running statement is recompiled, because other triggers may now run.
    func statementRecompiles() {
        if run != nil && !registrations.isEmpty { database.reportRows(true) }
    }
}
