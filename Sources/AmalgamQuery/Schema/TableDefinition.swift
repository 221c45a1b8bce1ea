public import AmalgamCore

/// A table that is created: its columns and constraints.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
///     t.belongsTo("team", onDelete: .cascade)
/// }
/// // CREATE TABLE "player" (
/// //   "id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL,
/// //   "teamId" INTEGER REFERENCES "team"("id") ON DELETE CASCADE);
/// // CREATE INDEX "player_on_teamId" ON "player"("teamId")
/// ```
///
/// See <https://sqlite.org/lang_createtable.html>.
public final class TableDefinition {
    enum Item {
        case column(ColumnDefinition)
        case foreignKey(ForeignKeyDefinition)
        case sql(SQL)
    }

    enum Constraint {
        case unique([String], Database.ConflictResolution?)
        case foreignKey([String], ForeignKeyReference)
        case check(SQLExpression)
        case sql(SQL)
    }

    enum PrimaryKey {
        case columns([String], Database.ConflictResolution?)
        case items([Item], Database.ConflictResolution?)
    }

    let name: String
    let options: TableOptions
    private(set) var items: [Item] = []
    private(set) var constraints: [Constraint] = []
    private(set) var primaryKey: PrimaryKey?

    /// The items of the primary key, while its closure runs.
    private var keyItems: [Item]?

    /// A mistake that no method could throw.
    private(set) var mistake: String?

    init(name: String, options: TableOptions) {
        self.name = name
        self.options = options
    }

    private func add(_ item: Item) {
        if keyItems == nil {
            items.append(item)
        } else {
            keyItems?.append(item)
        }
    }

    private func setPrimaryKey(_ key: PrimaryKey) {
        if primaryKey != nil { mistake = "can't define several primary keys" }
        primaryKey = key
    }

    // MARK: Primary keys

    /// Adds the key `"id" INTEGER PRIMARY KEY AUTOINCREMENT`: SQLite finds a number that was never used before.
    ///
    /// See <https://sqlite.org/autoinc.html>.
    ///
    /// - Parameter conflictResolution: what happens to a row with a key that exists.
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a key of one column: `"code" TEXT PRIMARY KEY NOT NULL`.
    ///
    /// - Parameter conflictResolution: what happens to a row with a key that exists.
    @discardableResult
    public func primaryKey(
        _ name: String, _ type: Database.ColumnType,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: conflictResolution)
        // An INTEGER PRIMARY KEY is the rowid, which is never NULL.
        return type == .integer ? column : column.notNull()
    }

    /// Makes some of the columns the primary key: `PRIMARY KEY ("a", "b")`.
    ///
    /// SQLite accepts NULL in them, unless the columns refuse it: see ``primaryKey(onConflict:body:)``.
    ///
    /// - Parameter conflictResolution: what happens to a row with a key that exists.
    public func primaryKey(_ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil) {
        setPrimaryKey(.columns(columns, conflictResolution))
    }

    /// Makes the columns that the closure adds the primary key. They refuse NULL, and have no index but that of the key.
    ///
    /// ```swift
    /// t.primaryKey {
    ///     t.belongsTo("citizen")
    ///     t.column("countryCode", .text)
    /// }
    /// // "citizenId" INTEGER NOT NULL REFERENCES "citizen"("id"), "countryCode" TEXT NOT NULL,
    /// // PRIMARY KEY ("citizenId", "countryCode")
    /// ```
    ///
    /// - Parameter conflictResolution: what happens to a row with a key that exists.
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, body: () throws -> Void
    ) rethrows {
        keyItems = []
        defer { keyItems = nil }
        try body()
        let keyItems = keyItems ?? []
        for item in keyItems {
            switch item {
            case .column(let column): column.notNull = column.notNull ?? ColumnDefinition.Constraint()
            case .foreignKey(let foreignKey):
                foreignKey.notNull = foreignKey.notNull ?? ColumnDefinition.Constraint()
                // The index of the primary key is enough.
                foreignKey.isIndexed = false
            case .sql: mistake = "Primary key columns can not be defined with raw SQL"
            }
        }
        items += keyItems
        setPrimaryKey(.items(keyItems, conflictResolution))
    }

    // MARK: Columns

    /// Adds a column: `"name" TEXT`.
    @discardableResult
    public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        add(.column(column))
        return column
    }

    /// Adds a column made of plain SQL: `t.column(sql: "name TEXT NOT NULL")`.
    public func column(sql: String) { add(.sql(SQL(sql: sql))) }

    /// Adds a column made of an SQL literal. Values are written in the SQL.
    public func column(literal: SQL) { add(.sql(literal)) }

    /// Adds a reference to a row of another table: the columns, the foreign key, and an index.
    ///
    /// ```swift
    /// t.belongsTo("team", onDelete: .cascade).notNull()
    /// // "teamId" INTEGER NOT NULL REFERENCES "team"("id") ON DELETE CASCADE
    /// t.belongsTo("captain", inTable: "player")
    /// // "captainId" INTEGER REFERENCES "player"("id")
    /// ```
    ///
    /// There is a column for each one of the primary key of the other table, named after both. Several columns share a
    /// constraint and an index:
    ///
    /// ```swift
    /// t.belongsTo("citizenship")
    /// // "citizenshipCitizenId" INTEGER, "citizenshipCountryCode" TEXT,
    /// // FOREIGN KEY ("citizenshipCitizenId", "citizenshipCountryCode")
    /// // REFERENCES "citizenship"("citizenId", "countryCode")
    /// // CREATE INDEX "index_passport_on_citizenshipCitizenId_citizenshipCountryCode"
    /// // ON "passport"("citizenshipCitizenId", "citizenshipCountryCode")
    /// ```
    ///
    /// Creating the table throws `SQLITE_MISUSE` when the columns are a part of its primary key and refer to the table itself.
    ///
    /// - Parameters:
    ///   - name: what the row is called. Unless `table` says otherwise, the table has this name, or its plural.
    ///   - table: the other table.
    ///   - deleteAction: what happens when the other row is deleted.
    ///   - updateAction: what happens when the key of the other row changes.
    ///   - isDeferred: whether the foreign key is checked at the end of a transaction.
    ///   - indexed: whether there is an index on the columns.
    @discardableResult
    public func belongsTo(
        _ name: String, inTable table: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false,
        indexed: Bool = true
    ) -> ForeignKeyDefinition {
        let foreignKey = ForeignKeyDefinition(
            name: name, table: table, deleteAction: deleteAction, updateAction: updateAction,
            isDeferred: isDeferred, isIndexed: indexed)
        add(.foreignKey(foreignKey))
        return foreignKey
    }

    // MARK: Constraints

    /// Refuses a second row with the same values: `UNIQUE ("a", "b")`.
    ///
    /// - Parameter conflictResolution: what happens to the second row.
    public func uniqueKey(_ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil) {
        constraints.append(.unique(columns, conflictResolution))
    }

    /// Makes columns refer to a row of another table: `FOREIGN KEY ("a", "b") REFERENCES "parent"("c", "d")`.
    ///
    /// - Parameter destinationColumns: the columns of the other table; its primary key, by default.
    public func foreignKey(
        _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) {
        let reference = ForeignKeyReference(
            table: table, columns: destinationColumns, deleteAction: deleteAction, updateAction: updateAction,
            isDeferred: isDeferred)
        constraints.append(.foreignKey(columns, reference))
    }

    /// Refuses rows that do not fulfil a condition: `CHECK ("a" < "b")`.
    public func check(_ condition: some SQLSpecificExpressible) {
        constraints.append(.check(condition.sqlExpression))
    }

    /// Refuses rows that do not fulfil a condition, made of plain SQL.
    public func check(sql: String) { constraints.append(.check(SQL(sql: sql).sqlExpression)) }

    /// Adds a constraint made of plain SQL: `t.constraint(sql: "CHECK (a < b)")`.
    public func constraint(sql: String) { constraints.append(.sql(SQL(sql: sql))) }

    /// Adds a constraint made of an SQL literal. Values are written in the SQL.
    public func constraint(literal: SQL) { constraints.append(.sql(literal)) }
}
