/// A type that changes what rows show: which columns, under which names, in which named parts.
///
/// All fetching methods accept one:
///
/// ```swift
/// let adapter = SuffixRowAdapter(fromIndex: 1)
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS id, 'Anna' AS name", adapter: adapter)!
/// row.description   // [name:"Anna"]
/// ```
///
/// A type of your own is made of other adapters, which it chooses by the names of the columns:
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
    /// The adapter for rows with these columns. It runs once for a statement, before its first row.
    ///
    /// This is what your own types implement. What it throws is the error of the fetch.
    ///
    /// - Parameter names: the names of the columns of the statement, or those that another adapter shows.
    func adapter(forColumns names: [String]) throws -> any RowAdapter

    /// The columns that remain of those of a statement, or of another adapter.
    ///
    /// Types of your own get it from `adapter(forColumns:)`.
    ///
    /// - Throws: `SQLITE_MISUSE` when the adapter wants columns that aren't there.
    func _layout(_ base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// The adapter itself is what adapts the rows, for the adapters of this library.
    ///
    /// - Throws: `SQLITE_MISUSE` for a type that implements neither this method nor `_layout`.
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
    /// The same adapter with more named parts. New parts replace those of the same name.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }

    func layout(_ statement: Statement) throws -> RowLayout {
        try _layout(RowLayout(statement.columns))
    }
}

/// The layout that an adapter gives to the rows of a statement.
///
/// It is computed before the statement runs, so that an adapter that does not fit is reported early, and again when
/// SQLite has compiled the statement anew at its first step, after a change of the schema.
package struct StatementLayout {
    private let adapter: (any RowAdapter)?
    private var layout: RowLayout?

    package init(_ adapter: (any RowAdapter)?, _ statement: Statement) throws {
        self.adapter = adapter
        layout = try adapter?.layout(statement)
    }

    /// The layout for a statement that has given a row.
    package mutating func current(_ statement: Statement) throws -> RowLayout? {
        guard let layout else { return nil }
        if layout.baseColumns !== statement.columns { self.layout = try adapter?.layout(statement) }
        return self.layout
    }
}

/// An adapter that hides all columns.
public struct EmptyRowAdapter: RowAdapter {
    /// An adapter that shows no column.
    public init() {}

    public func _layout(_ base: RowLayout) throws -> RowLayout { base.selecting([]) }
}

/// An adapter that hides the first columns.
public struct SuffixRowAdapter: RowAdapter {
    private let index: Int

    /// - Parameter index: the first column to show, counted from 0; a negative number is a programmer error and traps.
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
public struct RangeRowAdapter: RowAdapter {
    private let range: CountableRange<Int>

    /// - Parameter range: columns, counted from 0; a negative number is a programmer error and traps.
    public init(_ range: CountableRange<Int>) {
        require(range.lowerBound >= 0, "Negative column index is out of range")
        self.range = range
    }

    /// - Parameter range: columns, counted from 0; a negative number is a programmer error and traps.
    public init(_ range: CountableClosedRange<Int>) {
        self.init(range.lowerBound..<(range.upperBound == .max ? .max : range.upperBound + 1))
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        let count = base.columns.names.count
        guard range.upperBound <= count else { throw columnsNotFound("\(range)", count) }
        return base.selecting(range)
    }
}

/// An adapter that shows some columns under other names, and hides the rest.
///
/// ```swift
/// ColumnMapping(["name": "producerName"])   // new name: old name
/// ```
public struct ColumnMapping: RowAdapter {
    private let mapping: [String: String]

    /// - Parameter mapping: names of the statement, by the names to show.
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
public struct RenameColumnAdapter: RowAdapter {
    private let transform: @Sendable (String) -> String

    /// - Parameter transform: from the name of a column to the name to show.
    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        base.renaming(base.columns.names.map(transform))
    }
}

/// An adapter that gives names to parts of rows.
///
/// ```swift
/// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 2)])
/// ```
public struct ScopeAdapter: RowAdapter {
    private let base: any RowAdapter
    private let scopes: [String: any RowAdapter]

    /// Rows keep all their columns.
    public init(_ scopes: [String: any RowAdapter]) {
        self.init(base: FullRowAdapter(), scopes: scopes)
    }

    /// Rows show what `base` shows of them; parts are made of all columns.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    public func _layout(_ base: RowLayout) throws -> RowLayout {
        try self.base._layout(base).adding(scopes.mapValues { try $0._layout(base) })
    }
}

/// An adapter that changes nothing.
private struct FullRowAdapter: RowAdapter {
    func _layout(_ base: RowLayout) throws -> RowLayout { base }
}

private func columnsNotFound(_ what: String, _ count: Int) -> DatabaseError {
    DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a row adapter wants the columns \(what), and the statement has \(count)")
}

/// Adapters for consecutive slices of rows, and one for the columns that remain.
///
/// ```swift
/// let adapters = splittingRowAdapters(columnCounts: [2, 1])   // columns 0 and 1; 2; 3 and more
/// ```
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    var start = 0
    var adapters: [any RowAdapter] = []
    for count in columnCounts {
        adapters.append(RangeRowAdapter(start..<start + count))
        start += count
    }
    adapters.append(SuffixRowAdapter(fromIndex: start))
    return adapters
}
