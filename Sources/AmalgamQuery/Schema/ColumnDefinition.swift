public import AmalgamCore

/// A column of a table that is created or altered, and what is demanded of it.
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
    /// How the values of a generated column are kept: <https://sqlite.org/gencol.html>.
    public enum GeneratedColumnQualification: Sendable {
        /// They are computed when they are read.
        case virtual
        /// They are computed when the row is written.
        case stored
    }

    /// What is demanded of values that break a constraint.
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

    /// Makes the column the primary key. ``TableDefinition/primaryKey(_:_:onConflict:)`` is better: it refuses NULL.
    ///
    /// - Parameters:
    ///   - conflictResolution: what happens to a row with a key that exists.
    ///   - autoincrement: whether keys of deleted rows are never used again: <https://sqlite.org/autoinc.html>.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
    ) -> Self {
        primaryKey = PrimaryKey(conflictResolution: conflictResolution, isAutoincremented: autoincrement)
        return self
    }

    /// Refuses NULL: `NOT NULL`.
    ///
    /// - Parameter conflictResolution: what happens to a row without a value.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNull = Constraint(conflictResolution: conflictResolution)
        return self
    }

    /// Refuses a value that another row has: `UNIQUE`.
    ///
    /// - Parameter conflictResolution: what happens to the second row.
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        unique = Constraint(conflictResolution: conflictResolution)
        return self
    }

    /// Creates an index on the column, along with the table: `CREATE INDEX "player_on_name" ON "player"("name")`.
    @discardableResult
    public func indexed() -> Self {
        isIndexed = true
        return self
    }

    /// Refuses values that do not fulfil a condition: `CHECK ("score" >= 0)`.
    ///
    /// ```swift
    /// t.column("score", .integer).check { $0 >= 0 }
    /// ```
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        checks.append(condition(Column(name)).sqlExpression)
        return self
    }

    /// Refuses values that do not fulfil a condition, made of plain SQL.
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql).sqlExpression)
        return self
    }

    /// The value of the column in rows that do not give one: `DEFAULT 0`.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        defaultValue = value.sqlExpression
        return self
    }

    /// The value of the column in rows that do not give one, made of plain SQL: `DEFAULT CURRENT_TIMESTAMP`.
    ///
    /// SQLite wants parentheses around expressions: `defaults(sql: "(1 + 1)")`.
    @discardableResult
    public func defaults(sql: String) -> Self {
        defaultValue = SQL(sql: sql).sqlExpression
        return self
    }

    /// How texts are compared: `COLLATE NOCASE`.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        collationName = collation.rawValue
        return self
    }

    /// How texts are compared. Each connection that uses the table needs the collation.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        collationName = collation.name
        return self
    }

    /// Computes the column from others: `GENERATED ALWAYS AS (score + bonus) VIRTUAL`.
    ///
    /// See <https://sqlite.org/gencol.html>.
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generated = (SQL(sql: sql).sqlExpression, qualification)
        return self
    }

    /// Computes the column from others.
    ///
    /// ```swift
    /// t.column("total", .integer).generatedAs(Column("score") + Column("bonus"), .stored)
    /// // "total" INTEGER GENERATED ALWAYS AS ("score" + "bonus") STORED
    /// ```
    @discardableResult
    public func generatedAs(
        _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generated = (expression.sqlExpression, qualification)
        return self
    }

    /// Refers to a row of another table: `REFERENCES "team"("id")`. A column may refer to several tables.
    ///
    /// - Parameters:
    ///   - table: the other table.
    ///   - column: the column of the other table; its primary key, by default.
    ///   - deleteAction: what happens when the other row is deleted.
    ///   - updateAction: what happens when the key of the other row changes.
    ///   - isDeferred: whether the foreign key is checked at the end of a transaction.
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
