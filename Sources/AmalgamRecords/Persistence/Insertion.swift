import AmalgamCore

/// How a record is inserted: by INSERT, or by an upsert.
struct Insertion<T> {
    /// Writes the row. Returns its rowid, and what the statement returned.
    let write: (Database, RecordPlan, PersistenceContainer) throws -> (rowID: Int64, returned: T)
}

extension Insertion {
    /// INSERT
    static func insert(
        _ conflictResolution: Database.ConflictResolution, _ returning: Returning<T>
    ) -> Insertion {
        Insertion { db, plan, container in
            let statement = plan.insertion(container, conflictResolution)
            let returned = try statement.run(db, returning, from: plan.tableName)
            return (db.lastInsertedRowID, returned)
        }
    }
}

extension MutablePersistableRecord {
    /// Inserts the record, with all callbacks.
    mutating func insert<T>(_ db: Database, _ insertion: Insertion<T>) throws -> T {
        try willSave(db)
        var result: (success: PersistenceSuccess, returned: T)?
        // A callback cannot be called while the record changes: it is called on a copy.
        let unsaved = self
        try unsaved.aroundSave(db) {
            let inserted = try insertWithinSave(db, insertion)
            result = (PersistenceSuccess(inserted.success), inserted.returned)
            return PersistenceSuccess(inserted.success)
        }
        guard let result else { throw incorrectCallback("aroundSave") }
        didSave(result.success)
        return result.returned
    }

    /// Inserts the record, with the callbacks of an insertion only.
    mutating func insertWithinSave<T>(
        _ db: Database, _ insertion: Insertion<T>
    ) throws -> (success: InsertionSuccess, returned: T) {
        try willInsert(db)
        var result: (success: InsertionSuccess, returned: T)?
        try aroundInsert(db) {
            let inserted = try write(db, insertion)
            result = inserted
            return inserted.success
        }
        guard let result else { throw incorrectCallback("aroundInsert") }
        didInsert(result.success)
        return result
    }

    private func write<T>(
        _ db: Database, _ insertion: Insertion<T>
    ) throws -> (success: InsertionSuccess, returned: T) {
        let plan = db.recordPlan(type(of: self))
        var container = try plan.encode(self)
        // Before the row is there: a look-up that fails later would be the error of an insertion that was done.
        let rowIDColumn = try db.primaryKeyIfKnown(plan.tableName)?.rowIDColumn
        let (rowID, returned) = try insertion.write(db, plan, container)
        if let rowIDColumn { container[rowIDColumn] = rowID }
        let success = InsertionSuccess(rowID: rowID, rowIDColumn: rowIDColumn, persistenceContainer: container)
        return (success, returned)
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
