import AmalgamCore

/// How a record is updated.
struct Update<T> {
    /// The columns, in any case; nil for all of them.
    var columns: [String]?

    var conflictResolution: Database.ConflictResolution
    var returning: Returning<T>

    /// Whether the closure that fetches decides what the lack of a row means: it may be a conflict that is ignored.
    var acceptsNoRow = false

    /// Runs UPDATE. Nil when there was no row.
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
    /// Updates the record, with all callbacks.
    ///
    /// - Parameter container: what the record encodes, when that is known.
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

    /// Updates the record, with the callbacks of an update only.
    ///
    /// - throws: a ``RecordError`` when there is no row. It is remembered in `isMissing`: callbacks may update other
    ///   records, which may be missing as well.
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

    /// What the record encodes after its callbacks, which may have changed an object, and nothing else.
    private func encodedAgain(_ known: PersistenceContainer?, _ plan: RecordPlan) throws -> PersistenceContainer {
        if let known, !(Self.self is AnyObject.Type) { return known }
        return try plan.encode(self)
    }

    // MARK: Save

    /// Updates the record, or inserts it when there is no row, with all callbacks.
    mutating func save<T>(_ db: Database, _ update: Update<T>, _ insertion: Insertion<T>) throws -> T {
        try willSave(db)
        var result: (success: PersistenceSuccess, returned: T)?
        // A callback cannot be called while the record changes: it is called on a copy.
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

    /// Nil for a record without key, or without row.
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
