public import AmalgamCore
import AmalgamQuery

extension MutablePersistableRecord {
    /// Deletes the row with the record's primary key.
    ///
    /// ```swift
    /// try player.delete(db)
    /// // DELETE FROM "player" WHERE "id"=1
    /// ```
    ///
    /// A record whose primary key is NULL has no row: no statement runs, and the result is false.
    ///
    /// - Returns: whether a row was deleted.
    /// - Throws: a ``DatabaseError``; errors thrown by the record and its callbacks.
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

    /// Returns whether the table has a row with the record's primary key.
    ///
    /// ```swift
    /// try player.exists(db)
    /// // SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=1)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; errors of the record.
    public func exists(_ db: Database) throws -> Bool {
        guard let (shape, key) = try key(db, RecordPlans.of(db).plan(type(of: self))) else { return false }
        return try Bool.fetchOne(db, sql: shape.existsSQL, arguments: key) ?? false
    }

    /// The primary key; nil if one of its columns is NULL.
    private func key(_ db: Database, _ plan: RecordPlan) throws -> (RecordShape, StatementArguments)? {
        let container = try plan.encode(self)
        let shape = try plan.shape(db, container)
        return shape.keyValues(container).map { (shape, StatementArguments($0)) }
    }
}
