/// The columns of a statement that are visible in a row, their names, and the row's scopes. A scope is a named row
/// inside the row, with its own choice of the statement's columns.
///
/// A layout is computed for each execution of a statement, not for each row. Reading a value through a layout costs one
/// array access.
public final class RowLayout: _LayoutedRowAdapter {
    /// The columns of the statement.
    let baseColumns: StatementColumns

    /// The columns of the row.
    package let columns: StatementColumns

    /// The positions of the row's columns in the statement.
    package let baseIndexes: [Int]

    /// The layouts of the scopes.
    package let scopes: [String: any _LayoutedRowAdapter]

    public var _layout: RowLayout { self }

    init(
        baseColumns: StatementColumns, names: [String], baseIndexes: [Int], scopes: [String: any _LayoutedRowAdapter]
    ) {
        self.baseColumns = baseColumns
        self.columns = StatementColumns(names: names)
        self.baseIndexes = baseIndexes
        self.scopes = scopes
    }

    /// Creates a layout with all columns of a statement.
    convenience init(_ columns: StatementColumns) {
        self.init(
            baseColumns: columns, names: columns.names, baseIndexes: Array(columns.names.indices), scopes: [:])
    }

    /// Returns a layout with some of the columns, without scopes.
    func selecting(_ indexes: some Sequence<Int>) -> RowLayout {
        let indexes = Array(indexes)
        return RowLayout(
            baseColumns: baseColumns, names: indexes.map { columns.names[$0] },
            baseIndexes: indexes.map { baseIndexes[$0] }, scopes: [:])
    }

    /// Returns a layout with the same columns under different names.
    func renaming(_ names: [String]) -> RowLayout {
        RowLayout(baseColumns: baseColumns, names: names, baseIndexes: baseIndexes, scopes: scopes)
    }

    /// Returns a layout with additional scopes. An added scope replaces one with the same name.
    func adding(_ newScopes: [String: any _LayoutedRowAdapter]) -> RowLayout {
        RowLayout(
            baseColumns: baseColumns, names: columns.names, baseIndexes: baseIndexes,
            scopes: scopes.merging(newScopes) { $1 })
    }

    /// The same columns, without scopes; nil if these are all columns of the statement, unchanged.
    var withoutScopes: RowLayout? {
        if columns.names == baseColumns.names && baseIndexes == Array(baseIndexes.indices) { return nil }
        return RowLayout(baseColumns: baseColumns, names: columns.names, baseIndexes: baseIndexes, scopes: [:])
    }
}

/// A row adapter for known columns.
public protocol _LayoutedRowAdapter: Sendable {
    var _layout: RowLayout { get }
}
