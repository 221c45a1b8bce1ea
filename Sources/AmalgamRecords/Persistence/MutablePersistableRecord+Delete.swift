public import AmalgamCore
import AmalgamQuery

extension MutablePersistableRecord {
    /// Deletes the row of the record.
    ///
    /// ```swift
    /// try player.delete(db)
    /// // DELETE FROM "player" WHERE "id"=1
    /// ```
    ///
    /// - Returns: whether there was a row.
    /// - throws: a ``DatabaseError``; errors of the record and of its callbacks.
    @discardableResult
    public func delete(_ db: Database) throws -> Bool {
        try willDelete(db)
        var result: Bool?
        try aroundDelete(db) {
            let deleted = try deleteRow(db)
            result = deleted
            return deleted
        }
        guard let result else { throw incorrectCallback("aroundDelete") }
        didDelete(deleted: result)
        return result
    }

    private func deleteRow(_ db: Database) throws -> Bool {
        let plan = RecordPlans.of(db).plan(type(of: self))
        guard let (shape, key) = try key(db, plan) else { return false }
        let changesBefore = db.totalChangesCount
        try db.withStatement(sql: shape.deleteSQL) { try $0.execute(arguments: key) }
        return try plan.hasChangedRow(db, since: changesBefore)
    }

    /// Whether there is the row of the record.
    ///
    /// ```swift
    /// try player.exists(db)
    /// // SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=1)
    /// ```
    ///
    /// - throws: a ``DatabaseError``; errors of the record.
    public func exists(_ db: Database) throws -> Bool {
        guard let (shape, key) = try key(db, RecordPlans.of(db).plan(type(of: self))) else { return false }
        return try Bool.fetchOne(db, sql: shape.existsSQL, arguments: key) ?? false
    }

    /// The primary key; nil when a column of it is NULL.
    private func key(_ db: Database, _ plan: RecordPlan) throws -> (RecordShape, StatementArguments)? {
        let container = try plan.encode(self)
        let shape = try plan.shape(db, container)
        return shape.keyValues(container).map { (shape, StatementArguments($0)) }
    }
}
