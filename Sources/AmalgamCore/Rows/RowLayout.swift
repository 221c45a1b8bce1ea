/// Which columns of a statement a row shows, under which names, and which named parts it has.
///
/// A layout is computed once per statement; reading a row through it costs one look-up of an index.
public final class RowLayout: _LayoutedRowAdapter {
    /// The columns of the statement.
    let baseColumns: StatementColumns

    /// The columns shown.
    package let columns: StatementColumns

    /// For each column shown, its position in the statement.
    package let baseIndexes: [Int]

    /// The named parts.
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

    /// All columns of a statement.
    convenience init(_ columns: StatementColumns) {
        self.init(
            baseColumns: columns, names: columns.names, baseIndexes: Array(columns.names.indices), scopes: [:])
    }

    /// Some of the columns of this layout, without its scopes.
    func selecting(_ indexes: some Sequence<Int>) -> RowLayout {
        let indexes = Array(indexes)
        return RowLayout(
            baseColumns: baseColumns, names: indexes.map { columns.names[$0] },
            baseIndexes: indexes.map { baseIndexes[$0] }, scopes: [:])
    }

    /// The same columns under other names.
    func renaming(_ names: [String]) -> RowLayout {
        RowLayout(baseColumns: baseColumns, names: names, baseIndexes: baseIndexes, scopes: scopes)
    }

    /// The same columns, and more parts. New parts replace those of the same name.
    func adding(_ newScopes: [String: any _LayoutedRowAdapter]) -> RowLayout {
        RowLayout(
            baseColumns: baseColumns, names: columns.names, baseIndexes: baseIndexes,
            scopes: scopes.merging(newScopes) { $1 })
    }

    /// The same columns, without parts; nil when this is the whole row.
    var withoutScopes: RowLayout? {
        if columns.names == baseColumns.names && baseIndexes == Array(baseIndexes.indices) { return nil }
        return RowLayout(baseColumns: baseColumns, names: columns.names, baseIndexes: baseIndexes, scopes: [:])
    }
}

/// A row adapter that knows the columns it works on.
public protocol _LayoutedRowAdapter: Sendable {
    var _layout: RowLayout { get }
}
