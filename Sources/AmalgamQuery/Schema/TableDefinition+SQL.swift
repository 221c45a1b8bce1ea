import AmalgamCore

extension TableDefinition: KeyedDefinition {
    func definedPrimaryKey(_ db: Database) throws -> [ColumnDefinition]? {
        switch primaryKey {
        case .columns(let names, _):
            // The columns of a foreign key to this table have the types of its primary key, which aren't known yet.
            let known = try items.flatMap { try columns(of: $0, db) ?? [] }
            return names.map { name in
                known.first { TableName($0.name) == TableName(name) } ?? ColumnDefinition(name: name, type: nil)
            }
        case .items(let items, _):
            return try items.flatMap { item in
                if let known = try columns(of: item, db) { return known }
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        The primary key of the table "\(name)" can't be computed: one of its columns belongs to the table \
                        itself. Define this column with column(_:_:) and references(_:).
                        """)
            }
        case nil:
            return items.compactMap { item in
                if case .column(let column) = item, column.primaryKey != nil { column } else { nil }
            }
        }
    }

    /// Returns the columns of an item; nil if they depend on the primary key of this table.
    private func columns(of item: Item, _ db: Database) throws -> [ColumnDefinition]? {
        switch item {
        case .column(let column): return [column]
        case .foreignKey(let foreignKey):
            let table = try foreignKey.referencedTable(self, db)
            if TableName(table) == TableName(name) { return nil }
            return try foreignKey.resolve(self, db).columns
        case .sql: return []
        }
    }

    /// Returns the CREATE TABLE statement, and the CREATE INDEX statements.
    func statements(_ db: Database) throws -> [String] {
        if let mistake { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: mistake) }
        let table = try ResolvedTable(self, db)
        var writer = SQLWriter(db, writesLiterals: true)
        try writer.writeTable(table)
        let indexes = try table.indexes.map { try $0.sql(db) }
        return [writer.sql] + indexes
    }
}

/// A table definition whose foreign keys are resolved to columns.
private struct ResolvedTable {
    enum Item {
        case column(ColumnDefinition)
        case sql(SQL)
    }

    let definition: TableDefinition
    var items: [Item] = []
    var constraints: [TableDefinition.Constraint] = []
    var primaryKey: (columns: [String], conflictResolution: Database.ConflictResolution?)?
    var indexes: [IndexDefinition] = []

    init(_ definition: TableDefinition, _ db: Database) throws {
        self.definition = definition
        var keyColumns: [String] = []
        let keyCount = Self.keyItemCount(definition)
        for (index, item) in definition.items.enumerated() {
            let columns = try add(item, db)
            // The columns of the primary key are the columns of its items.
            if keyCount.contains(index) { keyColumns += columns }
        }
        switch definition.primaryKey {
        case .columns(let columns, let conflictResolution): primaryKey = (columns, conflictResolution)
        case .items(_, let conflictResolution): primaryKey = (keyColumns, conflictResolution)
        case nil: break
        }
        constraints += definition.constraints
    }

    /// Returns the positions in `definition.items` of the items that form the primary key.
    private static func keyItemCount(_ definition: TableDefinition) -> Set<Int> {
        guard case .items(let keyItems, _) = definition.primaryKey else { return [] }
        let identities = Set(keyItems.compactMap(\.identity))
        return Set(
            definition.items.indices.filter { index in
                definition.items[index].identity.map(identities.contains) ?? false
            })
    }

    /// Adds an item, and returns the names of its columns.
    private mutating func add(_ item: TableDefinition.Item, _ db: Database) throws -> [String] {
        switch item {
        case .column(let column):
            add(column)
            return [column.name]
        case .sql(let sql):
            items.append(.sql(sql))
            return []
        case .foreignKey(let foreignKey):
            let resolved = try foreignKey.resolve(definition, db)
            resolved.columns.forEach { add($0) }
            let names = resolved.columns.map(\.name)
            if let reference = resolved.reference { constraints.append(.foreignKey(names, reference)) }
            if resolved.isIndexed { indexes.append(index(on: names, isUnique: resolved.isUnique)) }
            return names
        }
    }

    private mutating func add(_ column: ColumnDefinition) {
        items.append(.column(column))
        if let index = column.index(on: definition.name, options: indexOptions) { indexes.append(index) }
    }

    private var indexOptions: IndexOptions { definition.options.contains(.ifNotExists) ? .ifNotExists : [] }

    private func index(on columns: [String], isUnique: Bool) -> IndexDefinition {
        IndexDefinition(
            name: "index_\(definition.name)_on_\(columns.joined(separator: "_"))", table: definition.name,
            terms: columns.map { Column($0).sqlExpression },
            options: isUnique ? indexOptions.union(.unique) : indexOptions)
    }
}

extension TableDefinition.Item {
    fileprivate var identity: ObjectIdentifier? {
        switch self {
        case .column(let column): ObjectIdentifier(column)
        case .foreignKey(let foreignKey): ObjectIdentifier(foreignKey)
        case .sql: nil
        }
    }
}

extension SQLWriter {
    fileprivate mutating func writeTable(_ table: ResolvedTable) throws {
        let options = table.definition.options
        append(options.contains(.temporary) ? "CREATE TEMPORARY TABLE " : "CREATE TABLE ")
        if options.contains(.ifNotExists) { append("IF NOT EXISTS ") }
        append(table.definition.name.quotedDatabaseIdentifier)
        append(" (")
        var separator = ""
        for item in table.items {
            append(separator)
            separator = ", "
            switch item {
            case .column(let column): try column.write(to: &self, of: table.definition)
            case .sql(let sql): try sql.write(to: &self)
            }
        }
        if let primaryKey = table.primaryKey {
            append(separator + "PRIMARY KEY ")
            separator = ", "
            append(names: primaryKey.columns)
            append("", primaryKey.conflictResolution)
        }
        for constraint in table.constraints {
            append(separator)
            separator = ", "
            try writeConstraint(constraint, of: table.definition)
        }
        append(")")
        let suffixes = [
            options.contains(.withoutRowID) ? " WITHOUT ROWID" : nil, options.contains(.strict) ? " STRICT" : nil,
        ]
        append(suffixes.compactMap(\.self).joined(separator: ","))
    }

    private mutating func writeConstraint(
        _ constraint: TableDefinition.Constraint, of definition: TableDefinition
    ) throws {
        switch constraint {
        case .unique(let columns, let conflictResolution):
            append("UNIQUE ")
            append(names: columns)
            append("", conflictResolution)
        case .foreignKey(let columns, let reference):
            append("FOREIGN KEY ")
            append(names: columns)
            append(" ")
            try reference.write(to: &self, from: definition)
        case .check(let condition):
            try append("CHECK (", condition, ")")
        case .sql(let sql):
            try sql.write(to: &self)
        }
    }
}
