public import AmalgamCore

/// The definition of a new table: its columns and constraints.
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

    /// The items of the primary key, while the closure that defines it runs.
    private var keyItems: [Item]?

    /// An error in the definition, reported when the table is created, because the methods can't throw.
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

    /// Adds an auto-incremented primary key. SQLite chooses a number that was never used before.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.autoIncrementedPrimaryKey("id")
    /// }
    /// // "id" INTEGER PRIMARY KEY AUTOINCREMENT
    /// ```
    ///
    /// See <https://sqlite.org/autoinc.html>.
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - conflictResolution: the `ON CONFLICT` action for a row with an existing key.
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a primary key with one column, which rejects NULL.
    ///
    /// ```swift
    /// try db.create(table: "country") { t in
    ///     t.primaryKey("code", .text)
    /// }
    /// // "code" TEXT PRIMARY KEY NOT NULL
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - type: the type of the column.
    ///   - conflictResolution: the `ON CONFLICT` action for a row with an existing key.
    @discardableResult
    public func primaryKey(
        _ name: String, _ type: Database.ColumnType,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: conflictResolution)
        // An INTEGER PRIMARY KEY is the rowid, which is never NULL.
        return type == .integer ? column : column.notNull()
    }

    /// Makes columns the primary key.
    ///
    /// ```swift
    /// try db.create(table: "citizenship") { t in
    ///     t.column("citizenId", .integer)
    ///     t.column("countryCode", .text)
    ///     t.primaryKey(["citizenId", "countryCode"])
    /// }
    /// // PRIMARY KEY ("citizenId", "countryCode")
    /// ```
    ///
    /// SQLite accepts NULL in these columns, unless their definitions reject it, or the table is `STRICT` or
    /// `WITHOUT ROWID`. To reject NULL in all columns, use ``primaryKey(onConflict:body:)``.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - conflictResolution: the `ON CONFLICT` action for a row with an existing key.
    public func primaryKey(_ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil) {
        setPrimaryKey(.columns(columns, conflictResolution))
    }

    /// Adds the columns of the closure, and makes them the primary key. These columns reject NULL. A `belongsTo` in the
    /// closure creates no index on its foreign key, because the primary key has an index.
    ///
    /// ```swift
    /// try db.create(table: "citizenship") { t in
    ///     t.primaryKey {
    ///         t.belongsTo("citizen")
    ///         t.column("countryCode", .text)
    ///     }
    /// }
    /// // "citizenId" INTEGER NOT NULL REFERENCES "citizen"("id"), "countryCode" TEXT NOT NULL,
    /// // PRIMARY KEY ("citizenId", "countryCode")
    /// ```
    ///
    /// - Parameters:
    ///   - conflictResolution: the `ON CONFLICT` action for a row with an existing key.
    ///   - body: adds the columns.
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
                // The index of the primary key is sufficient.
                foreignKey.isIndexed = false
            case .sql: mistake = "Primary key columns can not be defined with raw SQL"
            }
        }
        items += keyItems
        setPrimaryKey(.items(keyItems, conflictResolution))
    }

    // MARK: Columns

    /// Adds a column.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("name", .text).notNull()
    /// }
    /// // "name" TEXT NOT NULL
    /// ```
    @discardableResult
    public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        add(.column(column))
        return column
    }

    /// Adds a column defined in SQL.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column(sql: "name TEXT NOT NULL")
    /// }
    /// // name TEXT NOT NULL
    /// ```
    public func column(sql: String) { add(.sql(SQL(sql: sql))) }

    /// Adds a column defined by an `SQL` literal. Interpolated values are written into the SQL, not bound.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column(literal: "score INTEGER DEFAULT \(0)")
    /// }
    /// // score INTEGER DEFAULT 0
    /// ```
    public func column(literal: SQL) { add(.sql(literal)) }

    /// Adds a foreign key: its columns, the constraint, and an index on the columns.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.belongsTo("team", onDelete: .cascade).notNull()
    ///     // "teamId" INTEGER NOT NULL REFERENCES "team"("id") ON DELETE CASCADE
    ///     t.belongsTo("captain", inTable: "player")
    /// }
    /// // "captainId" INTEGER REFERENCES "player"("id")
    /// ```
    ///
    /// The foreign key has one column for each column of the referenced primary key. A column's name is the `name`
    /// argument followed by the name of the referenced column: `"team"` and `"id"` give `"teamId"`. Several columns
    /// share one constraint and one index:
    ///
    /// ```swift
    /// try db.create(table: "passport") { t in
    ///     t.belongsTo("citizenship")
    /// }
    /// // "citizenshipCitizenId" INTEGER, "citizenshipCountryCode" TEXT,
    /// // FOREIGN KEY ("citizenshipCitizenId", "citizenshipCountryCode")
    /// // REFERENCES "citizenship"("citizenId", "countryCode")
    /// // CREATE INDEX "index_passport_on_citizenshipCitizenId_citizenshipCountryCode"
    /// // ON "passport"("citizenshipCitizenId", "citizenshipCountryCode")
    /// ```
    ///
    /// In the closure of ``primaryKey(onConflict:body:)``, the foreign key can't refer to the table that is being
    /// created: creating the table throws `SQLITE_MISUSE`.
    ///
    /// - Parameters:
    ///   - name: the name of the reference. By default, the referenced table has this name, or its plural.
    ///   - table: the referenced table.
    ///   - deleteAction: the action when the referenced row is deleted.
    ///   - updateAction: the action when the key of the referenced row changes.
    ///   - isDeferred: whether SQLite checks the constraint at COMMIT, instead of at the end of each statement.
    ///   - indexed: whether an index on the columns is created.
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

    /// Rejects rows with equal values in the given columns: `UNIQUE`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("name", .text)
    ///     t.column("score", .integer)
    ///     t.uniqueKey(["name", "score"])
    /// }
    /// // UNIQUE ("name", "score")
    /// ```
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - conflictResolution: the `ON CONFLICT` action for a row with existing values.
    public func uniqueKey(_ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil) {
        constraints.append(.unique(columns, conflictResolution))
    }

    /// Adds a foreign key constraint on columns: `FOREIGN KEY`.
    ///
    /// ```swift
    /// try db.create(table: "passport") { t in
    ///     t.column("citizenId", .integer)
    ///     t.column("countryCode", .text)
    ///     t.foreignKey(["citizenId", "countryCode"], references: "citizenship", onDelete: .cascade)
    /// }
    /// // FOREIGN KEY ("citizenId", "countryCode")
    /// // REFERENCES "citizenship"("citizenId", "countryCode") ON DELETE CASCADE
    /// ```
    ///
    /// - Parameters:
    ///   - columns: the names of the columns.
    ///   - table: the referenced table.
    ///   - destinationColumns: the referenced columns. By default, the primary key.
    ///   - deleteAction: the action when the referenced row is deleted.
    ///   - updateAction: the action when the key of the referenced row changes.
    ///   - isDeferred: whether SQLite checks the constraint at COMMIT, instead of at the end of each statement.
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

    /// Rejects rows that don't satisfy a condition: `CHECK`.
    ///
    /// ```swift
    /// try db.create(table: "game") { t in
    ///     t.column("minimum", .integer)
    ///     t.column("maximum", .integer)
    ///     t.check(Column("minimum") < Column("maximum"))
    /// }
    /// // CHECK ("minimum" < "maximum")
    /// ```
    public func check(_ condition: some SQLCondition) {
        constraints.append(.check(condition.conditionExpression))
    }

    /// Rejects rows that don't satisfy a condition written in SQL.
    ///
    /// ```swift
    /// try db.create(table: "game") { t in
    ///     t.column("minimum", .integer)
    ///     t.column("maximum", .integer)
    ///     t.check(sql: "minimum < maximum")
    /// }
    /// // CHECK (minimum < maximum)
    /// ```
    public func check(sql: String) { constraints.append(.check(SQL(sql: sql).sqlExpression)) }

    /// Adds a constraint written in SQL.
    ///
    /// ```swift
    /// try db.create(table: "game") { t in
    ///     t.column("minimum", .integer)
    ///     t.column("maximum", .integer)
    ///     t.constraint(sql: "CHECK (minimum < maximum)")
    /// }
    /// ```
    public func constraint(sql: String) { constraints.append(.sql(SQL(sql: sql))) }

    /// Adds a constraint written as an `SQL` literal. Interpolated values are written into the SQL, not bound.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("score", .integer)
    ///     t.constraint(literal: "CHECK (score <= \(1000))")
    /// }
    /// // CHECK (score <= 1000)
    /// ```
    public func constraint(literal: SQL) { constraints.append(.sql(literal)) }
}
