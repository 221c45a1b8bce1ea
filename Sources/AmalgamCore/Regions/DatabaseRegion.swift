/// A part of a database: tables, columns of tables, and rows of tables.
///
/// Regions say what a statement reads, and which changes concern an observation.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT name FROM player JOIN team ON team.id = teamId")
/// statement.databaseRegion.description   // "player(name,teamId),team(id)"
/// ```
///
/// Names are compared without regard to case, as SQLite does.
public struct DatabaseRegion: Sendable {
    /// The tables of the region; nil for the full database.
    private var tables: [TableName: TableRegion]?

    private init(tables: [TableName: TableRegion]?) {
        self.tables = tables
    }

    /// The empty region.
    public init() {
        self.init(tables: [:])
    }

    /// The region of all tables, columns and rows.
    public static let fullDatabase = DatabaseRegion(tables: nil)

    /// All columns and rows of a table.
    package init(table: String) {
        self.init(tables: [TableName(table): TableRegion(columns: nil)])
    }

    /// Some columns of all rows of a table.
    package init(table: String, columns: Set<String>) {
        self =
            DatabaseRegion(tables: [TableName(table): TableRegion(columns: ColumnNames(columns))])
            .normalized
    }

    /// All columns of some rows of a table.
    package init(table: String, rowIDs: Set<Int64>) {
        self =
            DatabaseRegion(tables: [TableName(table): TableRegion(columns: nil, rows: KnownRows(rowIDs: rowIDs))])
            .normalized
    }

    /// Whether no change can ever concern the region.
    public var isEmpty: Bool { tables?.isEmpty ?? false }

    /// Whether the region is the full database.
    public var isFullDatabase: Bool { tables == nil }

    /// The names of the tables; nil for the full database.
    var tableNames: [String]? { tables.map { $0.keys.map(\.spelling).sorted() } }

    /// The columns of a table; nil for all of them.
    func columnNames(of table: String) -> Set<String>? {
        tables?[TableName(table)]?.columns.map { Set($0.names.map(\.spelling)) }
    }

    /// What the region has of one table.
    package struct Part: Sendable {
        package let table: TableName
        /// Nil for all columns.
        package let columns: Set<TableName>?
        package let rows: KnownRows
    }

    /// The region, table by table; nil for the full database.
    package var parts: [Part]? {
        tables?.map { Part(table: $0.key, columns: $0.value.columns?.names, rows: $0.value.rows) }
    }

    private var normalized: DatabaseRegion {
        DatabaseRegion(tables: tables?.filter { !$0.value.isEmpty })
    }
}

// MARK: - Algebra

extension DatabaseRegion {
    /// The region of both.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables, let otherTables = other.tables else { return .fullDatabase }
        if tables.isEmpty { return other }
        if otherTables.isEmpty { return self }
        return DatabaseRegion(tables: tables.merging(otherTables) { $0.union($1) })
    }

    /// Adds another region.
    public mutating func formUnion(_ other: DatabaseRegion) {
        self = union(other)
    }

    /// The part that both regions share.
    public func intersection(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables else { return other }
        guard let otherTables = other.tables else { return self }
        var result: [TableName: TableRegion] = [:]
        for (name, region) in tables {
            if let otherRegion = otherTables[name] { result[name] = region.intersection(otherRegion) }
        }
        return DatabaseRegion(tables: result).normalized
    }

    /// The same tables and columns, reduced to some rows of one table.
    package func tableIntersection(_ table: String, rows: KnownRows) -> DatabaseRegion {
        guard var tables, let region = tables[TableName(table)] else { return self }
        tables[TableName(table)] = region.intersection(TableRegion(columns: nil, rows: rows))
        return DatabaseRegion(tables: tables).normalized
    }
}

// MARK: - Changes

extension DatabaseRegion {
    /// Whether events of this kind may concern the region.
    ///
    /// Use it in ``TransactionObserver/observes(eventsOfKind:)``.
    public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
        guard let tables else { return true }
        guard let region = tables[TableName(eventKind.tableName)] else { return false }
        switch eventKind {
        case .insert, .delete: return true
        case .update(_, let columnNames): return region.containsAny(of: columnNames)
        }
    }

    /// Whether a row event concerns the region, knowing that its kind does.
    ///
    /// Use it in ``TransactionObserver/databaseDidChange(with:)``, for events whose kind passed
    /// ``isModified(byEventsOfKind:)``.
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let tables else { return true }
        guard let region = tables[TableName(event.tableName)] else { return false }
        guard let rowIDs = region.rows.rowIDs else { return true }
        return rowIDs.contains(event.rowID)
    }
}

// MARK: - Equality and text

extension DatabaseRegion: Equatable {
    public static func == (lhs: DatabaseRegion, rhs: DatabaseRegion) -> Bool {
        lhs.tables == rhs.tables
    }
}

extension DatabaseRegion: CustomStringConvertible {
    /// `empty`, `full database`, or tables, columns and rowids: `player(*),team(id,name)[1,2]`.
    public var description: String {
        guard let tables else { return "full database" }
        if tables.isEmpty { return "empty" }
        return tables.map { (spelling: $0.key.spelling, region: $0.value) }
            .sorted { $0.spelling < $1.spelling }
            .map { $0.spelling + $0.region.description }
            .joined(separator: ",")
    }
}

// MARK: - Parts

/// A name that SQLite compares without regard to (ASCII) case, and that keeps its spelling.
package struct TableName: Hashable, Sendable {
    package let spelling: String
    private let folded: String

    package init(_ spelling: String) {
        self.spelling = spelling
        self.folded = String(decoding: spelling.utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    package static func == (lhs: TableName, rhs: TableName) -> Bool { lhs.folded == rhs.folded }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

private struct ColumnNames: Equatable, Sendable {
    var names: Set<TableName>

    init(_ names: Set<String>) {
        self.names = Set(names.map(TableName.init))
    }
}

/// Columns and rows of one table; nil means all columns.
private struct TableRegion: Equatable, Sendable, CustomStringConvertible {
    var columns: ColumnNames?
    var rows = KnownRows()

    var isEmpty: Bool { columns?.names.isEmpty ?? false || rows.isEmpty }

    func union(_ other: TableRegion) -> TableRegion {
        var result = TableRegion(columns: nil, rows: rows.union(other.rows))
        if var columns, let otherColumns = other.columns {
            columns.names.formUnion(otherColumns.names)
            result.columns = columns
        }
        return result
    }

    func intersection(_ other: TableRegion) -> TableRegion {
        var result = TableRegion(columns: columns ?? other.columns, rows: rows.intersection(other.rows))
        if let columns, let otherColumns = other.columns {
            result.columns?.names = columns.names.intersection(otherColumns.names)
        }
        return result
    }

    func containsAny(of columnNames: Set<String>) -> Bool {
        guard let columns else { return true }
        return columnNames.contains { columns.names.contains(TableName($0)) }
    }

    var description: String {
        let columnList = columns.map { $0.names.map(\.spelling).sorted().joined(separator: ",") } ?? "*"
        let rowList = rows.rowIDs.map { "[" + $0.sorted().map(String.init).joined(separator: ",") + "]" } ?? ""
        return "(\(columnList))\(rowList)"
    }
}
