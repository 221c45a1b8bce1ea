public import AmalgamCore

/// The definition of a column, with its constraints, for `CREATE TABLE` and `ALTER TABLE … ADD COLUMN`.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.column("name", .text).notNull().collate(.nocase)
///     t.column("score", .integer).notNull().defaults(to: 0).check { $0 >= 0 }
/// }
/// // CREATE TABLE "player" (
/// //   "name" TEXT NOT NULL COLLATE NOCASE,
/// //   "score" INTEGER NOT NULL CHECK ("score" >= 0) DEFAULT 0)
/// ```
///
/// See <https://sqlite.org/lang_createtable.html#column_definitions>.
public final class ColumnDefinition {
    /// The storage of a generated column: <https://sqlite.org/gencol.html>.
    public enum GeneratedColumnQualification: Sendable {
        /// The value is computed when it is read.
        case virtual
        /// The value is computed when the row is written.
        case stored
    }

    /// A constraint, with its `ON CONFLICT` action.
    struct Constraint {
        var conflictResolution: Database.ConflictResolution?
    }

    struct PrimaryKey {
        var conflictResolution: Database.ConflictResolution?
        var isAutoincremented: Bool
    }

    let name: String
    let type: Database.ColumnType?
    var notNull: Constraint?
    var primaryKey: PrimaryKey?
    var unique: Constraint?
    var checks: [SQLExpression] = []
    var defaultValue: SQLExpression?
    var collationName: String?
    var generated: (expression: SQLExpression, qualification: GeneratedColumnQualification)?
    var references: [ForeignKeyReference] = []
    var isIndexed = false

    init(name: String, type: Database.ColumnType?) {
        self.name = name
        self.type = type
    }

    /// Makes the column the primary key: `PRIMARY KEY`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("id", .integer).primaryKey(autoincrement: true)
    /// }
    /// // CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)
    /// ```
    ///
    /// SQLite accepts NULL in a primary key such as `"code" TEXT PRIMARY KEY`, unless the table is `STRICT` or
    /// `WITHOUT ROWID`. To add `NOT NULL`, use ``TableDefinition/primaryKey(_:_:onConflict:)``.
    ///
    /// - Parameters:
    ///   - conflictResolution: the `ON CONFLICT` action for a row with an existing key.
    ///   - autoincrement: whether SQLite never reuses the keys of deleted rows: <https://sqlite.org/autoinc.html>.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
    ) -> Self {
        primaryKey = PrimaryKey(conflictResolution: conflictResolution, isAutoincremented: autoincrement)
        return self
    }

    /// Rejects NULL: `NOT NULL`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("name", .text).notNull()
    /// }
    /// // CREATE TABLE "player" ("name" TEXT NOT NULL)
    /// ```
    ///
    /// - Parameter conflictResolution: the `ON CONFLICT` action for a row with NULL.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNull = Constraint(conflictResolution: conflictResolution)
        return self
    }

    /// Rejects values that another row has: `UNIQUE`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("email", .text).unique()
    /// }
    /// // CREATE TABLE "player" ("email" TEXT UNIQUE)
    /// ```
    ///
    /// - Parameter conflictResolution: the `ON CONFLICT` action for a row with an existing value.
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        unique = Constraint(conflictResolution: conflictResolution)
        return self
    }

    /// Creates an index on the column after the table.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("name", .text).indexed()
    /// }
    /// // CREATE TABLE "player" ("name" TEXT);
    /// // CREATE INDEX "player_on_name" ON "player"("name")
    /// ```
    @discardableResult
    public func indexed() -> Self {
        isIndexed = true
        return self
    }

    /// Rejects values that don't satisfy a condition: `CHECK ("score" >= 0)`. The closure receives the column.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("score", .integer).check { $0 >= 0 }
    /// }
    /// ```
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        checks.append(condition(Column(name)).sqlExpression)
        return self
    }

    /// Rejects values that don't satisfy a condition written in SQL.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("score", .integer).check(sql: "score >= 0")
    /// }
    /// // "score" INTEGER CHECK (score >= 0)
    /// ```
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql).sqlExpression)
        return self
    }

    /// Sets the default value of the column: `DEFAULT`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("score", .integer).defaults(to: 0)
    /// }
    /// // "score" INTEGER DEFAULT 0
    /// ```
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        defaultValue = value.sqlExpression
        return self
    }

    /// Sets the default value of the column, written in SQL.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("creation", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
    /// }
    /// // "creation" DATETIME DEFAULT CURRENT_TIMESTAMP
    /// ```
    ///
    /// SQLite requires parentheses around expressions: `defaults(sql: "(1 + 1)")`.
    @discardableResult
    public func defaults(sql: String) -> Self {
        defaultValue = SQL(sql: sql).sqlExpression
        return self
    }

    /// Sets the collation that compares strings of the column: `COLLATE`.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("name", .text).collate(.nocase)
    /// }
    /// // "name" TEXT COLLATE NOCASE
    /// ```
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        collationName = collation.rawValue
        return self
    }

    /// Sets the collation that compares strings of the column. Each connection must register the collation.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        collationName = collation.name
        return self
    }

    /// Makes the column a generated column, with an expression written in SQL.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("total", .integer).generatedAs(sql: "score + bonus")
    /// }
    /// // "total" INTEGER GENERATED ALWAYS AS (score + bonus) VIRTUAL
    /// ```
    ///
    /// See <https://sqlite.org/gencol.html>.
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generated = (SQL(sql: sql).sqlExpression, qualification)
        return self
    }

    /// Makes the column a generated column.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("total", .integer).generatedAs(Column("score") + Column("bonus"), .stored)
    /// }
    /// // "total" INTEGER GENERATED ALWAYS AS ("score" + "bonus") STORED
    /// ```
    @discardableResult
    public func generatedAs(
        _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generated = (expression.sqlExpression, qualification)
        return self
    }

    /// Adds a foreign key constraint to the column: `REFERENCES`. A column can have several of them.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///     t.column("teamId", .integer).references("team", onDelete: .cascade)
    /// }
    /// // "teamId" INTEGER REFERENCES "team"("id") ON DELETE CASCADE
    /// ```
    ///
    /// - Parameters:
    ///   - table: the referenced table.
    ///   - column: the referenced column. By default, the primary key.
    ///   - deleteAction: the action when the referenced row is deleted.
    ///   - updateAction: the action when the key of the referenced row changes.
    ///   - isDeferred: whether SQLite checks the constraint at COMMIT, instead of at the end of each statement.
    @discardableResult
    public func references(
        _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) -> Self {
        references.append(
            ForeignKeyReference(
                table: table, columns: column.map { [$0] }, deleteAction: deleteAction, updateAction: updateAction,
                isDeferred: isDeferred))
        return self
    }
}
