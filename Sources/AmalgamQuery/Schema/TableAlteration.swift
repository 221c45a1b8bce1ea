public import AmalgamCore

/// The changes of a table's columns: <https://sqlite.org/lang_altertable.html>.
///
/// ```swift
/// try db.alter(table: "player") { t in
///     t.add(column: "bonus", .integer).notNull().defaults(to: 0)
///     t.rename(column: "url", to: "home")
///     t.drop(column: "age")
/// }
/// // ALTER TABLE "player" ADD COLUMN "bonus" INTEGER NOT NULL DEFAULT 0;
/// // ALTER TABLE "player" RENAME COLUMN "url" TO "home";
/// // ALTER TABLE "player" DROP COLUMN "age"
/// ```
///
/// The changes run in the given order. This type has no methods for constraints of existing columns. In SQL,
/// `ALTER TABLE` can add and drop `NOT NULL` and `CHECK` constraints. To change other constraints, create a new table,
/// and copy the rows.
public final class TableAlteration: KeyedDefinition {
    enum Change {
        case add(ColumnDefinition)
        case addSQL(SQL)
        case rename(String, String)
        case drop(String)
    }

    let name: String
    private(set) var changes: [Change] = []

    func definedPrimaryKey(_ db: Database) -> [ColumnDefinition]? { nil }

    init(name: String) {
        self.name = name
    }

    /// Adds a column.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.add(column: "bonus", .integer).notNull().defaults(to: 0)
    /// }
    /// // ALTER TABLE "player" ADD COLUMN "bonus" INTEGER NOT NULL DEFAULT 0
    /// ```
    @discardableResult
    public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        changes.append(.add(column))
        return column
    }

    /// Adds a column defined in SQL.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.addColumn(sql: "bonus INTEGER")
    /// }
    /// // ALTER TABLE "player" ADD COLUMN bonus INTEGER
    /// ```
    public func addColumn(sql: String) { changes.append(.addSQL(SQL(sql: sql))) }

    /// Adds a column defined by an `SQL` literal. Interpolated values are written into the SQL, not bound.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.addColumn(literal: "bonus INTEGER DEFAULT \(10)")
    /// }
    /// // ALTER TABLE "player" ADD COLUMN bonus INTEGER DEFAULT 10
    /// ```
    public func addColumn(literal: SQL) { changes.append(.addSQL(literal)) }

    /// Renames a column. SQLite also renames the column in views, triggers, indexes and constraints.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.rename(column: "url", to: "home")
    /// }
    /// // ALTER TABLE "player" RENAME COLUMN "url" TO "home"
    /// ```
    public func rename(column name: String, to newName: String) { changes.append(.rename(name, newName)) }

    /// Drops a column. SQLite reports an error if an index, trigger, view or constraint uses the column.
    ///
    /// ```swift
    /// try db.alter(table: "player") { t in
    ///     t.drop(column: "age")
    /// }
    /// // ALTER TABLE "player" DROP COLUMN "age"
    /// ```
    public func drop(column name: String) { changes.append(.drop(name)) }

    func statements(_ db: Database) throws -> [String] {
        try changes.flatMap { change -> [String] in
            var writer = SQLWriter(db, writesLiterals: true)
            writer.append("ALTER TABLE \(name.quotedDatabaseIdentifier) ")
            var index: IndexDefinition?
            switch change {
            case .add(let column):
                writer.append("ADD COLUMN ")
                try column.write(to: &writer, of: self)
                index = column.index(on: name, options: [])
            case .addSQL(let sql):
                writer.append("ADD COLUMN ")
                try sql.write(to: &writer)
            case .rename(let column, let newName):
                writer.append(
                    "RENAME COLUMN \(column.quotedDatabaseIdentifier) TO \(newName.quotedDatabaseIdentifier)")
            case .drop(let column):
                writer.append("DROP COLUMN \(column.quotedDatabaseIdentifier)")
            }
            return [writer.sql] + (try index.map { [try $0.sql(db)] } ?? [])
        }
    }
}
