public import AmalgamCore

/// A table or view, given by its name. Its methods create requests, which need no record type.
///
/// ```swift
/// let rows = try Table("player").filter(Column("score") > 10).fetchAll(db)
/// // SELECT * FROM "player" WHERE "score" > 10
/// ```
///
/// `Table` without a type parameter decodes rows as `Row`. `Table<Player>` decodes rows as `Player`:
///
/// ```swift
/// let players = try Table<Player>("player").filter { $0.score > 10 }.fetchAll(db)   // [Player]
/// ```
public struct Table<RowDecoder>: Sendable {
    /// The name of the table or view.
    public var tableName: String

    private init(_ tableName: String, decodingRowsAs type: RowDecoder.Type) {
        self.tableName = tableName
    }

    /// Creates a value that represents a table or view. Its rows are decoded as the type parameter, such as `Player`.
    ///
    /// ```swift
    /// let players = Table<Player>("player")
    /// ```
    public init(_ tableName: String) {
        self.init(tableName, decodingRowsAs: RowDecoder.self)
    }
}

extension Table where RowDecoder == Row {
    /// Creates a value that represents a table or view. Its rows are decoded as `Row`.
    ///
    /// ```swift
    /// let rows = try Table("player").fetchAll(db)   // [Row]
    /// ```
    public init(_ tableName: String) {
        self.init(tableName, decodingRowsAs: Row.self)
    }
}

extension Table {
    /// The relation of all rows, with the default selection of the record type, or with all columns.
    var relation: Relation {
        let selection = (RowDecoder.self as? any TableRecord.Type)?.databaseSelection ?? [AllColumns()]
        return Relation(TableSource(name: tableName), selection: selection.map(\.sqlSelection))
    }
}

extension Table: DatabaseRegionConvertible {
    /// Returns the region of all columns and rows of the table. For a view or a virtual table, returns the region that a
    /// request for all of its rows reads: a full-text index without content reads its content table, too.
    ///
    /// ```swift
    /// try Table("player").databaseRegion(db)   // the whole table "player"
    /// ```
    ///
    /// If the schema can't be read, for example because the database is suspended, the region is the full database. An
    /// observation of this region misses no change.
    ///
    /// - Throws: a ``DatabaseError`` if the request for the rows of a view doesn't compile.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        guard let isView = try? db.viewExists(tableName) else { return .fullDatabase }
        if isView { return try all().databaseRegion(db) }
        let region = DatabaseRegion(table: tableName)
        guard (try? db.isVirtualTable(tableName)) == true, let read = try? all().databaseRegion(db) else {
            return region
        }
        return region.union(read)
    }
}

extension TableRecord {
    static var table: Table<Self> { Table(databaseTableName) }

    static var relation: Relation {
        Relation(TableSource(name: databaseTableName), selection: databaseSelection.map(\.sqlSelection))
    }

    /// Returns a request for all rows of the table.
    ///
    /// ```swift
    /// let players = try Player.all().fetchAll(db)
    /// // SELECT * FROM "player"
    /// ```
    public static func all() -> QueryInterfaceRequest<Self> { QueryInterfaceRequest(relation) }
}

extension Table {
    /// Returns a request for all rows of the table.
    ///
    /// ```swift
    /// let rows = try Table("player").all().fetchAll(db)
    /// // SELECT * FROM "player"
    /// ```
    public func all() -> QueryInterfaceRequest<RowDecoder> { QueryInterfaceRequest(relation) }
}
