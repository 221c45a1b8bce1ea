import AmalgamCore

/// How a record is inserted: by INSERT, or by an upsert.
struct Insertion<T> {
    /// Writes the row. Returns its rowid, and the result of the statement. The rowid is nil when no row was inserted because
    /// of a conflict that is ignored.
    let write: (Database, RecordPlan, PersistenceContainer) throws -> (rowID: Int64?, returned: T)
}

extension Insertion {
    /// INSERT
    static func insert(
        _ conflictResolution: Database.ConflictResolution, _ returning: Returning<T>
    ) -> Insertion {
        Insertion { db, plan, container in
            let statement = plan.insertion(container, conflictResolution)
            let changesBefore = db.totalChangesCount
            let returned = try statement.run(db, returning, from: plan.tableName)
            // A closure of the caller may have run other statements, whose changes were counted last.
            let isInserted = returning.runsClosure && db.totalChangesCount > changesBefore
            return (isInserted ? db.lastInsertedRowID : try plan.insertedRowID(db), returned)
        }
    }
}

extension MutablePersistableRecord {
    /// INSERT, with all callbacks.
    mutating func insert(_ db: Database, _ conflictResolution: Database.ConflictResolution) throws {
        try insert(db) { db, plan, container in
            try plan.insertion(container, conflictResolution).run(db)
            return try plan.insertedRowID(db)
        }
    }

    /// Inserts the record, with all callbacks.
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

    /// Inserts the record, with the callbacks of an insertion only.
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

    // What follows is not generic over what is returned: the type would be looked up at run time, for each record.

    /// Writes the row, and returns its rowid; nil when no row was inserted because of a conflict that is ignored.
    typealias RowWriter = (Database, RecordPlan, PersistenceContainer) throws -> Int64?

    /// Inserts the record, with all callbacks.
    mutating func insert(_ db: Database, _ write: RowWriter) throws {
        try willSave(db)
        var success: PersistenceSuccess?
        // A callback cannot be called while the record changes: it is called on a copy.
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
        try willInsert(db)
        var success: InsertionSuccess?
        try aroundInsert(db) {
            let inserted = try inserted(db, write)
            success = inserted
            return inserted
        }
        guard let success else { throw incorrectCallback("aroundInsert") }
        if !success.isIgnored { didInsert(success) }
        return success
    }

    private func inserted(_ db: Database, _ write: RowWriter) throws -> InsertionSuccess {
        let plan = RecordPlans.of(db).plan(type(of: self))
        var container = try plan.encode(self)
        // Before the row is there: a look-up that fails later would be the error of an insertion that was done.
        let rowIDColumn = try db.primaryKeyIfKnown(plan.tableName)?.rowIDColumn
        guard let rowID = try write(db, plan, container) else {
            return InsertionSuccess(ignored: container)
        }
        if let rowIDColumn { container[rowIDColumn] = rowID }
        return InsertionSuccess(rowID: rowID, rowIDColumn: rowIDColumn, persistenceContainer: container)
    }

    /// The error of an `around` callback that returns without having done what it is for.
    func incorrectCallback(_ name: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                Incorrect implementation of the `\(type(of: self)).\(name)` persistence callback: the action function \
                was not called, or its error was not rethrown.
                """)
    }

    /// What happens when a constraint is broken.
    func conflictResolutionForInsert(
        _ conflictResolution: Database.ConflictResolution?
    ) -> Database.ConflictResolution {
        conflictResolution ?? type(of: self).persistenceConflictPolicy.conflictResolutionForInsert
    }

    func conflictResolutionForUpdate(
        _ conflictResolution: Database.ConflictResolution?
    ) -> Database.ConflictResolution {
        conflictResolution ?? type(of: self).persistenceConflictPolicy.conflictResolutionForUpdate
    }
}
