import AmalgamCore

// A struct that a macro has made a `PersistableRecord` is inserted as a copy. A mutating callback in an extension, which the
// macro couldn't see, would change the copy only. Such a callback implements the mutating requirement of
// `MutablePersistableRecord`, and not that of `PersistableRecord`, which keeps its default. So the first insertion of a
// connection calls the latter before, and finds out. A callback that isn't mutating implements both, and is called once.

extension MutablePersistableRecord {
    /// Calls `willInsert`.
    ///
    /// - Throws: `SQLITE_MISUSE` if its changes would be lost; errors of the callback.
    mutating func callWillInsert(_ db: Database) throws {
        let (plans, type) = (RecordPlans.of(db), type(of: self))
        guard plans.checks(.willInsert, of: type), let record = self as? any PersistableRecord else {
            return try willInsert(db)
        }
        if try plans.isDefault(.willInsert, of: type, in: { try record.willInsert(db) }),
            try !plans.isDefault(.willInsert, of: type, in: { try willInsert(db) })
        {
            throw lostChanges(of: "willInsert")
        }
        plans.skipChecks(.willInsert, of: type)
    }

    /// Calls `didInsert`.
    ///
    /// - Throws: `SQLITE_MISUSE` if its changes would be lost.
    mutating func callDidInsert(_ db: Database, _ inserted: InsertionSuccess) throws {
        let (plans, type) = (RecordPlans.of(db), type(of: self))
        guard plans.checks(.didInsert, of: type), let record = self as? any PersistableRecord else {
            return didInsert(inserted)
        }
        if plans.isDefault(.didInsert, of: type, in: { record.didInsert(inserted.reporting(to: plans.probe)) }),
            !plans.isDefault(.didInsert, of: type, in: { didInsert(inserted.reporting(to: plans.probe)) })
        {
            throw lostChanges(of: "didInsert")
        }
        plans.skipChecks(.didInsert, of: type)
    }

    private func lostChanges(of callback: String) -> DatabaseError {
        let type = type(of: self)
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                `\(type).\(callback)` is mutating, but a `PersistableRecord` is inserted as a copy, and its changes are lost. \
                Write `\(callback)` in the body of the type, or declare the type a `MutablePersistableRecord`.
                """)
    }
}
