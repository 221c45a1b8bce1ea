import AmalgamCore

/// The parameters of an update: the columns, the conflict resolution, and the result.
struct Update<T> {
    /// The case-insensitive names of the columns to update; nil for all columns.
    var columns: [String]?

    /// nil for a statement without the clause.
    var conflictResolution: Database.ConflictResolution?
    var returning: Returning<T>

    /// Whether the caller's closure handles a statement that returns no row, because an ignored conflict is possible.
    var acceptsNoRow = false

    /// Runs the UPDATE statement. Returns nil if the record has no primary key value, or if the statement updated no
    /// row and `acceptsNoRow` is false.
    func write(
        _ db: Database, _ plan: RecordPlan, _ shape: RecordShape, _ container: PersistenceContainer
    ) throws -> T? {
        guard let statement = shape.update(container, columns, conflictResolution) else { return nil }
        let changesBefore = db.totalChangesCount
        let returned = try statement.run(db, returning, from: plan.tableName)
        return try acceptsNoRow || plan.hasChangedRow(db, since: changesBefore) ? returned : nil
    }
}

extension MutablePersistableRecord {
    /// Updates the record, and calls all its callbacks.
    ///
    /// - Parameter container: the encoded record, if the caller has already encoded it.
    func update<T>(_ db: Database, _ update: Update<T>, container: PersistenceContainer? = nil) throws -> T {
        try willSave(db)
        var result: (success: PersistenceSuccess, returned: T)?
        try aroundSave(db) {
            let updated = try updateWithinSave(db, update, container: container)
            result = updated
            return updated.success
        }
        guard let result else { throw incorrectCallback("aroundSave") }
        didSave(result.success)
        return result.returned
    }

    /// Updates the record, and calls its update callbacks, but not its save callbacks.
    ///
    /// - Parameter isMissing: set to true if no row is updated. `save` then inserts the record. If a callback throws a
    ///   ``RecordError`` of a different record, the value stays false, and `save` rethrows the error.
    /// - Throws: a ``RecordError`` if no row is updated.
    func updateWithinSave<T>(
        _ db: Database, _ update: Update<T>, container known: PersistenceContainer? = nil,
        isMissing: UnsafeMutablePointer<Bool>? = nil
    ) throws -> (success: PersistenceSuccess, returned: T) {
        let plan = RecordPlans.of(db).plan(type(of: self))
        let columns = try update.columns.map(Set.init) ?? plan.shape(db, known ?? plan.encode(self)).columnSet
        try willUpdate(db, columns: columns)
        var result: (success: PersistenceSuccess, returned: T)?
        try aroundUpdate(db, columns: columns) {
            let container = try encodedAgain(known, plan)
            let shape = try plan.shape(db, container)
            guard let returned = try update.write(db, plan, shape, container) else {
                isMissing?.pointee = true
                throw shape.notFound(container)
            }
            result = (PersistenceSuccess(persistenceContainer: container), returned)
            return PersistenceSuccess(persistenceContainer: container)
        }
        guard let result else { throw incorrectCallback("aroundUpdate") }
        didUpdate(result.success)
        return result
    }

    /// Encodes the record after its callbacks. A value type can't have changed since it was encoded, but an object can.
    private func encodedAgain(_ known: PersistenceContainer?, _ plan: RecordPlan) throws -> PersistenceContainer {
        if let known, !(Self.self is AnyObject.Type) { return known }
        return try plan.encode(self)
    }

    // MARK: Save

    /// Updates the record, or inserts it if it has no row, and calls all its callbacks.
    mutating func save<T>(_ db: Database, _ update: Update<T>, _ insertion: Insertion<T>) throws -> T {
        try willSave(db)
        var result: (success: PersistenceSuccess, returned: T)?
        // The closure modifies `self`. Swift forbids reading `self` during the modification. Therefore, `aroundSave` is
        // called on a copy.
        let unsaved = self
        try unsaved.aroundSave(db) {
            let saved = try updateOrInsert(db, update, insertion)
            result = saved
            return saved.success
        }
        guard let result else { throw incorrectCallback("aroundSave") }
        if !result.success.isIgnored { didSave(result.success) }
        return result.returned
    }

    private mutating func updateOrInsert<T>(
        _ db: Database, _ update: Update<T>, _ insertion: Insertion<T>
    ) throws -> (success: PersistenceSuccess, returned: T) {
        if let updated = try updateIfPresent(db, update) { return updated }
        let inserted = try insertWithinSave(db, insertion)
        return (PersistenceSuccess(inserted.success), inserted.returned)
    }

    /// Updates the record. Returns nil if the record has no key, or no row.
    private func updateIfPresent<T>(
        _ db: Database, _ update: Update<T>
    ) throws -> (success: PersistenceSuccess, returned: T)? {
        let plan = RecordPlans.of(db).plan(type(of: self))
        let container = try plan.encode(self)
        if try plan.shape(db, container).keyValues(container) == nil { return nil }
        var isMissing = false
        do {
            return try updateWithinSave(db, update, container: container, isMissing: &isMissing)
        } catch is RecordError where isMissing {
            return nil
        }
    }
}
