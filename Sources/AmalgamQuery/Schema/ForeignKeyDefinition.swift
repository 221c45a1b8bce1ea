public import AmalgamCore

/// The foreign key that ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)`` adds to a table.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.belongsTo("team").notNull()
/// }
/// // "teamId" INTEGER NOT NULL REFERENCES "team"("id")
/// ```
public final class ForeignKeyDefinition {
    let name: String
    let table: String?
    let deleteAction: Database.ForeignKeyAction?
    let updateAction: Database.ForeignKeyAction?
    let isDeferred: Bool
    var isIndexed: Bool
    var notNull: ColumnDefinition.Constraint?
    var isUnique = false

    init(
        name: String, table: String?, deleteAction: Database.ForeignKeyAction?,
        updateAction: Database.ForeignKeyAction?, isDeferred: Bool, isIndexed: Bool
    ) {
        self.name = name
        self.table = table
        self.deleteAction = deleteAction
        self.updateAction = updateAction
        self.isDeferred = isDeferred
        self.isIndexed = isIndexed
    }

    /// Rejects NULL: `NOT NULL`, on each column of the foreign key.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.belongsTo("team").notNull()
    /// }
    /// // "teamId" INTEGER NOT NULL REFERENCES "team"("id")
    /// ```
    ///
    /// - Parameter conflictResolution: the `ON CONFLICT` action for a row with NULL.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNull = ColumnDefinition.Constraint(conflictResolution: conflictResolution)
        return self
    }

    /// Rejects a second row with the same foreign key: `UNIQUE`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.belongsTo("team").unique()
    /// }
    /// // "teamId" INTEGER UNIQUE REFERENCES "team"("id")
    /// ```
    @discardableResult
    public func unique() -> Self {
        isUnique = true
        return self
    }

    /// Returns the columns of the foreign key, one for each column of the referenced primary key, and the `REFERENCES`
    /// clause that several columns share.
    func resolve(_ definition: any KeyedDefinition, _ db: Database) throws -> ResolvedForeignKey {
        let table = try referencedTable(definition, db)
        let key = try definition.referencedKey(table, db)
        let reference = ForeignKeyReference(
            table: table, columns: key.map(\.name), deleteAction: deleteAction, updateAction: updateAction,
            isDeferred: isDeferred)
        let columns = key.map { column in
            let suffix = column.name == "rowid" ? "Id" : column.name.prefix(1).uppercased() + column.name.dropFirst()
            let result = ColumnDefinition(name: name + suffix, type: column.type)
            result.notNull = notNull
            return result
        }
        if columns.count == 1 {
            columns[0].references = [reference]
            if isUnique { columns[0].unique() }
            if isIndexed && !isUnique { columns[0].indexed() }
            return ResolvedForeignKey(columns: columns)
        }
        return ResolvedForeignKey(
            columns: columns, reference: reference, isUnique: isUnique, isIndexed: isIndexed || isUnique)
    }

    /// Returns the name of the referenced table. By default, it is the name of the foreign key, or the plural.
    func referencedTable(_ definition: any KeyedDefinition, _ db: Database) throws -> String {
        if let table { return table }
        let plural = Inflections.default.pluralize(name)
        for candidate in [name, plural] {
            if TableName(candidate) == TableName(definition.name) { return definition.name }
            if try db.tableExists(candidate) { return candidate }
        }
        throw DatabaseError(
            message: """
                no such table: \(name), nor \(plural). Create it before "\(definition.name)", or say which table is \
                meant: belongsTo("\(name)", inTable: "…").
                """)
    }
}

/// A foreign key whose columns have been looked up.
struct ResolvedForeignKey {
    var columns: [ColumnDefinition]

    /// The `REFERENCES` clause for several columns. Nil for a single column, whose definition contains the clause.
    var reference: ForeignKeyReference?

    /// Whether the index on several columns is unique.
    var isUnique = false

    /// Whether several columns have an index.
    var isIndexed = false
}
