/// A type that chooses the columns that rows show, their names, and named parts of rows (scopes).
///
/// All fetching methods accept an adapter:
///
/// ```swift
/// let adapter = SuffixRowAdapter(fromIndex: 1)
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id, 'Anna' AS name", adapter: adapter)!
/// row.description   // [name:"Anna"]
/// ```
///
/// A custom adapter returns one of the library's adapters, depending on the names of the columns:
///
/// ```swift
/// /// Shows the columns whose names have a prefix, without it.
/// struct PrefixAdapter: RowAdapter {
///     let prefix: String
///
///     func adapter(forColumns names: [String]) -> any RowAdapter {
///         let names = names.filter { $0.hasPrefix(prefix) }
///         return ColumnMapping(Dictionary(uniqueKeysWithValues: names.map { name in
///             (String(name.dropFirst(prefix.count)), name)
///         }))
///     }
/// }
/// ```
public protocol RowAdapter: Sendable {
    /// Returns the adapter for rows with these columns. Called before the first row of a statement, not for each row.
    ///
    /// Custom types implement this method.
    ///
    /// - Parameter names: the names of the statement's columns. If a different adapter is applied first, the names of
    ///   the columns that it shows.
    /// - Throws: any error, which becomes the error of the fetch.
    func adapter(forColumns names: [String]) throws -> any RowAdapter

    /// Returns the layout of the adapted rows: their columns, the names of the columns, and their scopes.
    ///
    /// Custom types implement `adapter(forColumns:)`, and use the default implementation of this method.
    ///
    /// - Parameter base: the statement's columns. If a different adapter is applied first, the columns that it shows.
    /// - Throws: `SQLITE_MISUSE` if a column that the adapter needs is missing; the error of `adapter(forColumns:)`.
    func _layout(_ base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// Throws an error. This default implementation is for the adapters of this library, which implement `_layout`. A
    /// custom type implements `adapter(forColumns:)`.
    ///
    /// - Throws: `SQLITE_MISUSE`.
    public func adapter(forColumns names: [String]) throws -> any RowAdapter {
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "\(Self.self) is a RowAdapter without the method adapter(forColumns:): implement it")
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        try adapter(forColumns: base.columns.names)._layout(base)
    }
}

extension RowAdapter {
    /// Returns this adapter with additional scopes. An added scope replaces one with the same name.
    ///
    /// ```swift
    /// let adapter = SuffixRowAdapter(fromIndex: 2).addingScopes(["player": RangeRowAdapter(0..<2)])
    /// let row = try Row.fetchOne(db, sql: "SELECT 1, 'Anna', 7 AS teamId", adapter: adapter)!
    /// row["teamId"] as Int?   // 7
    /// row.scopes["player"]    // columns 0 and 1
    /// ```
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }

    func layout(_ statement: Statement) throws -> RowLayout {
        try _layout(RowLayout(statement.columns))
    }
}

/// The layout of the rows of a statement, computed by an adapter.
///
/// The layout is computed before the statement runs, so that an unsuitable adapter fails early. It is computed again if
/// SQLite recompiles the statement at the first step, after a schema change.
package struct StatementLayout {
    private let adapter: (any RowAdapter)?
    private var layout: RowLayout?

    package init(_ adapter: (any RowAdapter)?, _ statement: Statement) throws {
        self.adapter = adapter
        layout = try adapter?.layout(statement)
    }

    /// Returns the layout for the current columns. Call it after the statement has returned a row.
    package mutating func current(_ statement: Statement) throws -> RowLayout? {
        guard let layout else { return nil }
        if layout.baseColumns !== statement.columns { self.layout = try adapter?.layout(statement) }
        return self.layout
    }
}

/// An adapter that hides all columns.
///
/// ```swift
/// // Rows without columns, and with one scope:
/// let adapter = EmptyRowAdapter().addingScopes(["player": RangeRowAdapter(0..<2)])
/// ```
public struct EmptyRowAdapter: RowAdapter {
    /// Creates an adapter that hides all columns.
    public init() {}

    public func _layout(_ base: RowLayout) throws -> RowLayout { base.selecting([]) }
}

/// An adapter that hides the first columns.
///
/// ```swift
/// let adapter = SuffixRowAdapter(fromIndex: 1)
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id, 'Anna' AS name", adapter: adapter)!   // [name:"Anna"]
/// ```
public struct SuffixRowAdapter: RowAdapter {
    private let index: Int

    /// Creates an adapter that hides the columns before an index.
    ///
    /// - Parameter index: the first column to show, counted from 0. A negative number is a programmer error and traps.
    public init(fromIndex index: Int) {
        require(index >= 0, "Negative column index is out of range")
        self.index = index
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        let count = base.columns.names.count
        guard index <= count else { throw columnsNotFound("from index \(index)", count) }
        return base.selecting(index..<count)
    }
}

/// An adapter that shows a range of columns.
///
/// ```swift
/// let adapter = RangeRowAdapter(0..<2)
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id, 'Anna' AS name, 7 AS teamId", adapter: adapter)!
/// // [id:1 name:"Anna"]
/// ```
public struct RangeRowAdapter: RowAdapter {
    private let range: CountableRange<Int>

    /// Creates an adapter that shows a range of columns.
    ///
    /// - Parameter range: the columns, counted from 0. A negative number is a programmer error and traps.
    public init(_ range: CountableRange<Int>) {
        require(range.lowerBound >= 0, "Negative column index is out of range")
        self.range = range
    }

    /// Creates an adapter that shows a closed range of columns.
    ///
    /// - Parameter range: the columns, counted from 0. A negative number is a programmer error and traps.
    public init(_ range: CountableClosedRange<Int>) {
        self.init(range.lowerBound..<(range.upperBound == .max ? .max : range.upperBound + 1))
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        let count = base.columns.names.count
        guard range.upperBound <= count else { throw columnsNotFound("\(range)", count) }
        return base.selecting(range)
    }
}

/// An adapter that shows some columns under different names, and hides the other columns.
///
/// ```swift
/// let adapter = ColumnMapping(["name": "playerName"])   // new name: name in the statement
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id, 'Anna' AS playerName", adapter: adapter)!   // [name:"Anna"]
/// ```
public struct ColumnMapping: RowAdapter {
    private let mapping: [String: String]

    /// Creates an adapter that shows some columns.
    ///
    /// - Parameter mapping: the names to show, each with the name of the column in the statement.
    public init(_ mapping: [String: String]) {
        self.mapping = mapping
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        let pairs = try mapping.map { newName, oldName in
            guard let index = base.columns.index(of: oldName) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        Mapped column \(oldName) is not found: the statement has columns \
                        \(base.columns.names.joined(separator: ", "))
                        """)
            }
            return (index: index, name: newName)
        }.sorted { $0.index < $1.index }
        return base.selecting(pairs.map(\.index)).renaming(pairs.map(\.name))
    }
}

/// An adapter that renames all columns.
///
/// ```swift
/// let adapter = RenameColumnAdapter { $0.lowercased() }
/// let row = try Row.fetchOne(db, sql: "SELECT 'Anna' AS NAME", adapter: adapter)!   // [name:"Anna"]
/// ```
public struct RenameColumnAdapter: RowAdapter {
    private let transform: @Sendable (String) -> String

    /// Creates an adapter that renames all columns.
    ///
    /// - Parameter transform: returns the name to show for the name of a column.
    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        base.renaming(base.columns.names.map(transform))
    }
}

/// An adapter that adds scopes to rows: named parts, each with its own adapter.
///
/// ```swift
/// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 2)])
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id, 'Anna' AS name, 7 AS id", adapter: adapter)!
/// row.scopes["team"]   // [id:7]
/// ```
public struct ScopeAdapter: RowAdapter {
    private let base: any RowAdapter
    private let scopes: [String: any RowAdapter]

    /// Creates an adapter for rows that show all columns, and have the given scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        self.init(base: FullRowAdapter(), scopes: scopes)
    }

    /// Creates an adapter for rows that show the columns of `base`, and have the given scopes. The adapters of the
    /// scopes receive all columns, not only those of `base`.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        try self.base._layout(base).adding(scopes.mapValues { try $0._layout(base) })
    }
}

/// An adapter of a negative number of columns. Statements refuse it.
private struct NegativeCountRowAdapter: RowAdapter {
    let count: Int

    func _layout(_ base: RowLayout) throws -> RowLayout {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a row adapter wants \(count) columns")
    }
}

/// An adapter that shows all columns unchanged.
private struct FullRowAdapter: RowAdapter {
    func _layout(_ base: RowLayout) throws -> RowLayout { base }
}

private func columnsNotFound(_ what: String, _ count: Int) -> DatabaseError {
    DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a row adapter wants the columns \(what), and the statement has \(count)")
}

/// Returns adapters for consecutive ranges of columns, and one for the remaining columns.
///
/// ```swift
/// let adapters = splittingRowAdapters(columnCounts: [2, 1])   // columns 0 and 1; 2; 3 and more
/// ```
///
/// An adapter of a negative number of columns, or of columns that the statement doesn't have, makes the statement throw
/// `SQLITE_MISUSE`.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    var start = 0
    var adapters: [any RowAdapter] = []
    for count in columnCounts {
        guard count >= 0 else {
            adapters.append(NegativeCountRowAdapter(count: count))
            continue
        }
        let (end, overflows) = start.addingReportingOverflow(count)
        adapters.append(RangeRowAdapter(start..<(overflows ? .max : end)))
        start = overflows ? .max : end
    }
    adapters.append(SuffixRowAdapter(fromIndex: start))
    return adapters
}
