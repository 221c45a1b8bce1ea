import CAmalgam

// Statements under way, and who hears of what they change.
extension ObservationBroker {
    /// Whether somebody wants to hear of the deletions in a table. Then its rows must be deleted one by one.
    func observesDeletions(_ table: String) -> Bool {
        let kind = DatabaseEventKind.delete(tableName: table)
        return registrations.contains { $0.observes(kind) }
    }

    /// Whether it is known that nobody wants to hear of what a statement changes. In a transaction, it has run in this one
    /// then: no other connection can have changed what it does.
    func isUnheard(_ statement: Statement) -> Bool {
        guard let audience = statement.audience, audience.generation == generation else { return false }
        return audience.isEmpty
    }

    /// Starts listening to what a statement changes.
    func beginRun(of statement: Statement) {
        let audience = audience(of: statement)
        if audience.includesDeletions { statement.requireRowDeletions() }
        var run = ObservedRun(audience: audience, statement: statement.sqliteStatement)
        if !audience.listenersWithoutRows.isEmpty {
            run.changesTold = amalgam_changes_so_far(statement.sqliteStatement)
        }
        begin(run)
        database.reportRows(!audience.isEmpty)
    }

    /// Starts listening to C code that changes rows without a statement of ours.
    func beginStrayRun() {
        begin(ObservedRun(audience: currentStrayAudience))
        database.reportRows(true)
    }

    /// Starts listening to a write through a blob handle, which ends with `endRun()`.
    ///
    /// - Parameter audience: that of the last write through the blob.
    /// - Returns: the audience of this one.
    func beginRun(of write: BlobWrite, _ kind: DatabaseEventKind, _ audience: Audience?) -> Audience {
        // Blobs are opened without a statement that would tell of another schema.
        database.noticeSchemaChanges()
        let isCurrent = audience?.generation == generation
        let audience =
            isCurrent
            ? audience!
            : Audience(
                foreseenKinds: [kind], virtualTables: [], registrations: registrations, generation: generation)
        begin(ObservedRun(audience: audience))
        liveRow.blobWrite = write
        database.reportRows(!audience.isEmpty)
        return audience
    }

    func begin(_ newRun: ObservedRun) {
        if let run { outerRuns.append(run) }
        run = newRun
    }

    /// Stops listening to what the innermost statement changes.
    func endRun() {
        liveRow.blobWrite = nil
        if run?.audience.listenersWithoutRows.isEmpty == false { tellChangesWithoutRows() }
        run = outerRuns.popLast()
        updateRowHook()
    }

    /// Between statements, the hook is there for changes that no statement of ours makes.
    func updateRowHook() {
        if let run {
            database.reportRows(run.statement == nil || !run.audience.isEmpty)
        } else {
            database.reportRows(!registrations.isEmpty)
        }
    }

    func audience(of statement: Statement) -> Audience {
        if let audience = statement.audience, audience.generation == generation { return audience }
        let audience = Audience(
            foreseenKinds: statement.eventKinds, virtualTables: statement.changedVirtualTables,
            registrations: registrations, generation: generation)
        statement.audience = audience
        return audience
    }

    var currentStrayAudience: Audience {
        if let strayAudience, strayAudience.generation == generation { return strayAudience }
        let audience = Audience(
            foreseenKinds: [], virtualTables: [], registrations: registrations, generation: generation)
        strayAudience = audience
        return audience
    }

    /// The schema has changed: names of tables are at other places.
    func schemaDidChange() {
        generation &+= 1
        run?.audience.schemaDidChange()
        for run in outerRuns { run.audience.schemaDidChange() }
    }

    func tell(_ change: SchemaChange) {
        for registration in registrations { registration.schemaObserver?.databaseDidChange(schema: change) }
    }

    /// A statement is compiled again in the middle of its run. It may fire other triggers now.
    func statementRecompiles() {
        if run != nil && !registrations.isEmpty { database.reportRows(true) }
    }
}
