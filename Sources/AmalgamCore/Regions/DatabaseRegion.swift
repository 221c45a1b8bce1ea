/// A part of a database: tables, columns of tables, and rows of tables.
///
/// A statement reads a region. A transaction observer uses a region to select the changes that affect the region.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT name FROM player JOIN team ON team.id = teamId")
/// statement.databaseRegion.description   // "player(name,teamId),team(id)"
/// ```
///
/// Names are compared without regard to case, as in SQLite.
public struct DatabaseRegion: Sendable {
    /// The tables of the region; nil for the full database.
    private var tables: [TableName: TableRegion]?

    private init(tables: [TableName: TableRegion]?) {
        self.tables = tables
    }

    /// Creates the empty region.
    ///
    /// ```swift
    /// var region = DatabaseRegion()
    /// region.formUnion(try Table("player").databaseRegion(db))
    /// ```
    public init() {
        self.init(tables: [:])
    }

    /// The region of all tables, columns and rows.
    public static let fullDatabase = DatabaseRegion(tables: nil)

    /// Creates the region of all columns and rows of a table.
    package init(table: String) {
        self.init(tables: [TableName(table): TableRegion(columns: nil)])
    }

    /// Creates the region of some columns, and all rows, of a table.
    package init(table: String, columns: Set<String>) {
        self =
            DatabaseRegion(tables: [TableName(table): TableRegion(columns: ColumnNames(columns))])
            .normalized
    }

    /// Creates the region of some columns, and all rows, of a table.
    init(table: TableName, columnNames: Set<TableName>) {
        self = DatabaseRegion(tables: [table: TableRegion(columns: ColumnNames(columnNames))]).normalized
    }

    /// Creates the region of all columns, and some rows, of a table.
    package init(table: String, rowIDs: Set<Int64>) {
        self =
            DatabaseRegion(tables: [TableName(table): TableRegion(columns: nil, rows: KnownRows(rowIDs: rowIDs))])
            .normalized
    }

    /// Whether the region is empty: no change affects it.
    public var isEmpty: Bool { tables?.isEmpty ?? false }

    /// Whether the region is the full database.
    public var isFullDatabase: Bool { tables == nil }

    /// The names of the tables; nil for the full database.
    var tableNames: [String]? { tables.map { $0.keys.map(\.spelling).sorted() } }

    /// The columns of a table; nil for all of them.
    func columnNames(of table: String) -> Set<TableName>? { tables?[TableName(table)]?.columns?.names }

    /// The part of the region in one table.
    package struct Part: Sendable {
        package let table: TableName
        /// The columns; nil for all columns.
        package let columns: Set<TableName>?
        package let rows: KnownRows
    }

    /// The parts of the region, one for each table; nil for the full database.
    package var parts: [Part]? {
        tables?.map { Part(table: $0.key, columns: $0.value.columns?.names, rows: $0.value.rows) }
    }

    private var normalized: DatabaseRegion {
        DatabaseRegion(tables: tables?.filter { !$0.value.isEmpty })
    }
}

// MARK: - Algebra

extension DatabaseRegion {
    /// Returns the region that contains both regions.
    ///
    /// ```swift
    /// let players = try Table("player").databaseRegion(db)
    /// let teams = try Table("team").databaseRegion(db)
    /// players.union(teams).isModified(byEventsOfKind: .insert(tableName: "team"))   // true
    /// ```
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables, let otherTables = other.tables else { return .fullDatabase }
        if tables.isEmpty { return other }
        if otherTables.isEmpty { return self }
        return DatabaseRegion(tables: tables.merging(otherTables) { $0.union($1) })
    }

    /// Adds a region.
    ///
    /// ```swift
    /// var region = try Table("player").databaseRegion(db)
    /// region.formUnion(try Table("team").databaseRegion(db))
    /// ```
    public mutating func formUnion(_ other: DatabaseRegion) {
        self = union(other)
    }

    /// Returns the region that both regions have in common.
    ///
    /// ```swift
    /// let names = try db.makeStatement(sql: "SELECT id, name FROM player").databaseRegion
    /// let scores = try db.makeStatement(sql: "SELECT id, score FROM player").databaseRegion
    /// names.intersection(scores).description   // "player(id)"
    /// ```
    public func intersection(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables else { return other }
        guard let otherTables = other.tables else { return self }
        var result: [TableName: TableRegion] = [:]
        for (name, region) in tables {
            if let otherRegion = otherTables[name] { result[name] = region.intersection(otherRegion) }
        }
        return DatabaseRegion(tables: result).normalized
    }

    /// Returns the same tables and columns, reduced to some rows of one table.
    package func tableIntersection(_ table: String, rows: KnownRows) -> DatabaseRegion {
        guard var tables, let region = tables[TableName(table)] else { return self }
        tables[TableName(table)] = region.intersection(TableRegion(columns: nil, rows: rows))
        return DatabaseRegion(tables: tables).normalized
    }
}

// MARK: - Changes

extension DatabaseRegion {
    /// Returns whether events of this kind may affect the region.
    ///
    /// Use it in ``TransactionObserver/observes(eventsOfKind:)``:
    ///
    /// ```swift
    /// func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    ///     region.isModified(byEventsOfKind: eventKind)
    /// }
    /// ```
    public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
        guard let tables else { return true }
        guard let region = tables[TableName(eventKind.tableName)] else { return false }
        switch eventKind {
        case .insert, .delete: return true
        case .update(_, let columnNames): return region.containsAny(of: columnNames)
        }
    }

    /// Returns whether a row event affects the region. Only the table and the rowid of the event are compared.
    ///
    /// Use it in ``TransactionObserver/databaseDidChange(with:)``, for events whose kind is accepted by
    /// ``isModified(byEventsOfKind:)``:
    ///
    /// ```swift
    /// func databaseDidChange(with event: DatabaseEvent) {
    ///     if region.isModified(by: event) { hasChanges = true }
    /// }
    /// ```
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let tables else { return true }
        guard let region = tables[TableName(event.tableName)] else { return false }
        guard let rowIDs = region.rows.rowIDs else { return true }
        return rowIDs.contains(event.rowID)
    }
}

// MARK: - Equality and description

extension DatabaseRegion: Equatable {
    public static func == (lhs: DatabaseRegion, rhs: DatabaseRegion) -> Bool {
        lhs.tables == rhs.tables
    }
}

extension DatabaseRegion: CustomStringConvertible {
    /// The region as a string: `empty`, `full database`, or tables, columns and rowids: `player(*),team(id,name)[1,2]`.
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

/// A name that is compared as in SQLite, by its bytes and without regard to ASCII case, and preserves its spelling.
package struct TableName: Hashable, Sendable {
    package let spelling: String
    private let folded: ExactString

    package init(_ spelling: String) {
        self.spelling = spelling
        self.folded = ExactString(String(decoding: spelling.utf8.map(\.asciiLowercased), as: UTF8.self))
    }

    package static func == (lhs: TableName, rhs: TableName) -> Bool { lhs.folded == rhs.folded }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

private struct ColumnNames: Equatable, Sendable {
    var names: Set<TableName>

    init(_ names: Set<String>) {
        self.names = Set(names.map(TableName.init))
    }

    init(_ names: Set<TableName>) {
        self.names = names
    }
}

/// The columns and rows of one table; nil for all columns.
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
