public import AmalgamCore

/// All columns of a table: `*`.
///
/// ```swift
/// Player.select(.allColumns, .rowID)
/// // SELECT *, "rowid" FROM "player"
/// ```
public struct AllColumns: SQLSelectable, Sendable {
    /// Creates a selection of all columns.
    public init() {}

    public var sqlSelection: SQLSelection { SQLSelection(node: AllColumnsNode()) }
}

/// All columns of a table except some.
///
/// ```swift
/// Player.select(.allColumns(excluding: ["score"]))
/// // SELECT "id", "name" FROM "player"
/// ```
///
/// The column names are read from the schema when the SQL is written.
public struct AllColumnsExcluding: SQLSelectable, Sendable {
    private let excludedColumns: Set<TableName>

    /// Creates a selection of all columns except those with the given names. The names are case-insensitive.
    public init(_ excludedColumns: some Collection<String>) {
        self.excludedColumns = Set(excludedColumns.map(TableName.init))
    }

    public var sqlSelection: SQLSelection {
        SQLSelection(node: AllColumnsExcludingNode(excludedColumns: excludedColumns))
    }
}

extension SQLSelectable where Self == AllColumns {
    /// All columns of a table: `*`.
    public static var allColumns: AllColumns { AllColumns() }
}

extension SQLSelectable where Self == AllColumnsExcluding {
    /// Selects all columns of a table except those with the given names. The names are case-insensitive.
    ///
    /// ```swift
    /// Player.select(.allColumns(excluding: ["score"]))
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public static func allColumns(excluding excludedColumns: some Collection<String>) -> Self {
        AllColumnsExcluding(excludedColumns)
    }

    /// Selects all columns of a table except the given columns.
    ///
    /// ```swift
    /// Player.select(.allColumns(excluding: [Column("score")]))
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public static func allColumns(excluding excludedColumns: some Collection<any ColumnExpression>) -> Self {
        AllColumnsExcluding(excludedColumns.map(\.name))
    }

    /// Selects all columns of a table except the given columns, which may be typed.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// Player.select(.allColumns(excluding: [score]))
    /// // SELECT "id", "name" FROM "player"
    /// ```
    public static func allColumns(excluding excludedColumns: [any NamedColumn]) -> Self {
        AllColumnsExcluding(excludedColumns.map(\.name))
    }
}

/// `*`, or `"player".*`.
struct AllColumnsNode: SelectionNode {
    var nestedNodes: [any SQLNode] { [] }

    var isComputedPerRow: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        if let scope = writer.scope, scope.isQualified {
            writer.append(scope.name.quotedDatabaseIdentifier)
            writer.append(".")
        }
        writer.append("*")
    }

    func columnCount(in writer: SQLWriter) throws -> Int? {
        try writer.scope?.source.columnCount(writer.db)
    }
}

private struct AllColumnsExcludingNode: SelectionNode {
    let excludedColumns: Set<TableName>

    var nestedNodes: [any SQLNode] { [] }

    var isComputedPerRow: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        for (index, name) in try columnNames(writer).enumerated() {
            if index > 0 { writer.append(", ") }
            writer.append(column: name)
        }
    }

    func columnCount(in writer: SQLWriter) throws -> Int? { try columnNames(writer).count }

    private func columnNames(_ writer: SQLWriter) throws -> [String] {
        guard let source = writer.scope?.source else { throw noTable }
        return try source.columnNames(writer.db).filter { !excludedColumns.contains(TableName($0)) }
    }

    private var noTable: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "allColumns(excluding:) needs a table: select it in a request, or interpolate columnsOf:")
    }
}
