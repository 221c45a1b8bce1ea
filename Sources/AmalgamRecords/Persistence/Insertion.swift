import AmalgamCore

/// A way to insert a record: an INSERT statement or an upsert.
struct Insertion<T> {
    /// Writes the row. Returns the rowid and the result of the RETURNING clause. The rowid is nil if an ignored
    /// conflict prevented the insertion.
    let write: (Database, RecordPlan, PersistenceContainer) throws -> (rowID: Int64?, returned: T)
}

extension Insertion {
    /// An insertion with `INSERT INTO …`, or `INSERT OR … INTO …` for a conflict resolution.
    static func insert(
        _ conflictResolution: Database.ConflictResolution?, _ returning: Returning<T>
    ) -> Insertion {
        Insertion { db, plan, container in
            let statement = plan.insertion(container, conflictResolution)
            let changesBefore = db.totalChangesCount
            let returned = try statement.run(db, returning, from: plan.tableName)
            // `db.changesCount` counts the changes of the latest statement, which isn't the INSERT if the caller's
            // closure has run other statements. Therefore, the total counts are compared.
            let isInserted = returning.runsClosure && db.totalChangesCount > changesBefore
            return (isInserted ? db.lastInsertedRowID : try plan.insertedRowID(db), returned)
        }
    }
}

extension MutablePersistableRecord {
    /// Inserts the record with an INSERT statement, and calls all its callbacks.
    ///
    /// - Parameter conflictResolution: nil for that of the record's policy.
    mutating func insert(_ db: Database, resolvingConflictsBy conflictResolution: Database.ConflictResolution?) throws {
        guard let plan = RecordPlans.of(db).directPlan(Self.self) else {
            return try insert(db, conflictResolutionForInsert(conflictResolution))
        }
        // Such a type has no subtypes, so `Self` is the type of the record: it needn't be looked up.
        let conflictResolution = conflictResolution ?? Self.persistenceConflictPolicy.insertClause
        if try !insertDirectly(db, plan, conflictResolution) { try insertWithCallbacks(db, conflictResolution) }
    }

    /// Inserts the record with an INSERT statement, and calls all its callbacks.
    mutating func insert(_ db: Database, _ conflictResolution: Database.ConflictResolution?) throws {
        let plans = RecordPlans.of(db)
        let plan = plans.plan(type(of: self))
        if try insertDirectly(db, plan, conflictResolution) {
            plans.setDirectPlan(plan, of: type(of: self))
            return
        }
        if let declared = plan.undecidedType(type(of: self)) {
            let hasDefaultCallbacks = try plans.allCallbacksAreDefault(of: declared) {
                try insertWithCallbacks(db, conflictResolution)
            }
            plan.decideInsertion(of: declared, hasDefaultCallbacks: hasDefaultCallbacks)
            if hasDefaultCallbacks { plans.skipChecks([.willInsert, .didInsert], of: declared) }
        } else {
            try insertWithCallbacks(db, conflictResolution)
        }
    }

    /// Inserts the record if this needs no container and no callbacks.
    ///
    /// - Returns: Whether the record was inserted, or an ignored conflict prevented it.
    private mutating func insertDirectly(
        _ db: Database, _ plan: RecordPlan, _ conflictResolution: Database.ConflictResolution?
    ) throws -> Bool {
        guard let insertion = try plan.insertDirectly(self, db, conflictResolution) else { return false }
        // Only the `didInsert(_:)` that a macro has written does anything. It uses nothing but the rowid.
        if let rowID = insertion.rowID, plan.assignsKey { didInsert(InsertionSuccess(rowID: rowID)) }
        return true
    }

    private mutating func insertWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?
    ) throws {
        try insert(db) { db, plan, container in
            try plan.insertion(container, conflictResolution).run(db)
            return try plan.insertedRowID(db)
        }
    }

    /// Inserts the record, calls all its callbacks, and returns the result of the statement.
    mutating func insert<T>(_ db: Database, _ insertion: Insertion<T>) throws -> T {
        var returned: T?
        try insert(db) { db, plan, container in
            let inserted = try insertion.write(db, plan, container)
            returned = inserted.returned
            return inserted.rowID
        }
        guard let returned else { throw incorrectCallback("aroundInsert") }
        return returned
    }

    /// Inserts the record, and calls its insertion callbacks, but not its save callbacks.
    mutating func insertWithinSave<T>(
        _ db: Database, _ insertion: Insertion<T>
    ) throws -> (success: InsertionSuccess, returned: T) {
        var returned: T?
        let success = try insertWithinSave(db) { db, plan, container in
            let inserted = try insertion.write(db, plan, container)
            returned = inserted.returned
            return inserted.rowID
        }
        guard let returned else { throw incorrectCallback("aroundInsert") }
        return (success, returned)
    }

    // The following methods aren't generic over the type of the result: generic methods would look up type metadata for
    // each record.

    /// Writes the row, and returns its rowid; nil if an ignored conflict prevented the insertion.
    typealias RowWriter = (Database, RecordPlan, PersistenceContainer) throws -> Int64?

    /// Inserts the record with the given writer, and calls all its callbacks.
    mutating func insert(_ db: Database, _ write: RowWriter) throws {
        try willSave(db)
        var success: PersistenceSuccess?
        // The closure modifies `self`. Swift forbids reading `self` during the modification. Therefore, `aroundSave` is
        // called on a copy.
        let unsaved = self
        try unsaved.aroundSave(db) {
            let saved = PersistenceSuccess(try insertWithinSave(db, write))
            success = saved
            return saved
        }
        guard let success else { throw incorrectCallback("aroundSave") }
        if !success.isIgnored { didSave(success) }
    }

    private mutating func insertWithinSave(_ db: Database, _ write: RowWriter) throws -> InsertionSuccess {
        try callWillInsert(db)
        var success: InsertionSuccess?
        try aroundInsert(db) {
            let inserted = try inserted(db, write)
            success = inserted
            return inserted
        }
        guard let success else { throw incorrectCallback("aroundInsert") }
        if !success.isIgnored { try callDidInsert(db, success) }
        return success
    }

    private func inserted(_ db: Database, _ write: RowWriter) throws -> InsertionSuccess {
        let plans = RecordPlans.of(db)
        let plan = plans.plan(type(of: self))
        var container = try plan.encode(self)
        try plan.checkInheritedProperties(db, container.columnNames)
        // The look-up precedes the INSERT: if the look-up fails, no row must have been inserted.
        let primaryKey = try db.primaryKeyIfKnown(plan.tableName)
        let rowIDColumn = primaryKey?.rowIDColumn
        // SQLite also assigns a rowid that isn't declared as a column.
        let assignedColumn = primaryKey?.isRowID == true ? primaryKey?.columns.first : nil
        plan.note(assignedColumn: assignedColumn, type(of: self))
        guard let rowID = try write(db, plan, container) else {
            return InsertionSuccess(ignored: container)
        }
        if let rowIDColumn { container[rowIDColumn] = rowID }
        return InsertionSuccess(
            rowID: rowID, rowIDColumn: rowIDColumn, assignedColumn: assignedColumn, persistenceContainer: container,
            probe: plans.probe)
    }

    /// The error thrown when an `around` callback returns without having called its action function.
    func incorrectCallback(_ name: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                Incorrect implementation of the `\(type(of: self)).\(name)` persistence callback: the action function \
                was not called, or its error was not rethrown.
                """)
    }

    /// The conflict resolution of an insertion: the argument, or the one in the record's policy. nil for no clause.
    func conflictResolutionForInsert(
        _ conflictResolution: Database.ConflictResolution?
    ) -> Database.ConflictResolution? {
        conflictResolution ?? type(of: self).persistenceConflictPolicy.insertClause
    }

    /// The conflict resolution of an update: the argument, or the one in the record's policy. nil for no clause.
    func conflictResolutionForUpdate(
        _ conflictResolution: Database.ConflictResolution?
    ) -> Database.ConflictResolution? {
        conflictResolution ?? type(of: self).persistenceConflictPolicy.updateClause
    }
}
