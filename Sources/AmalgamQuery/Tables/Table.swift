public import AmalgamCore

/// A table, for requests without a type of record.
///
/// ```swift
/// let rows = try Table("player").filter(Column("score") > 10).fetchAll(db)
/// // SELECT * FROM "player" WHERE "score" > 10
/// ```
///
/// The rows are decoded as `Row`, or as any type: `Table<Player>("player")`.
public struct Table<RowDecoder>: Sendable {
    /// The name of the table or view.
    public var tableName: String

    private init(_ tableName: String, decodingRowsAs type: RowDecoder.Type) {
        self.tableName = tableName
    }

    /// The table with this name.
    public init(_ tableName: String) {
        self.init(tableName, decodingRowsAs: RowDecoder.self)
    }
}

extension Table where RowDecoder == Row {
    /// The table with this name.
    public init(_ tableName: String) {
        self.init(tableName, decodingRowsAs: Row.self)
    }
}

extension Table {
    /// The selection of a record, or all columns.
    var relation: Relation {
        let selection = (RowDecoder.self as? any TableRecord.Type)?.databaseSelection ?? [AllColumns()]
        return Relation(TableSource(name: tableName), selection: selection.map(\.sqlSelection))
    }
}

extension Table: DatabaseRegionConvertible {
    /// All columns and rows of the table. The region of a view is what the view reads of the tables below it.
    ///
    /// Where the schema cannot be read, because the database is suspended, it is the full database: no change is missed.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        guard let isView = try? db.viewExists(tableName) else { return .fullDatabase }
        return isView ? try all().databaseRegion(db) : DatabaseRegion(table: tableName)
    }
}

extension TableRecord {
    static var table: Table<Self> { Table(databaseTableName) }

    static var relation: Relation {
        Relation(TableSource(name: databaseTableName), selection: databaseSelection.map(\.sqlSelection))
    }

    /// All rows of the table.
    ///
    /// ```swift
    /// let players = try Player.all().fetchAll(db)
    /// // SELECT * FROM "player"
    /// ```
    public static func all() -> QueryInterfaceRequest<Self> { QueryInterfaceRequest(relation) }
}

extension Table {
    /// All rows of the table.
    public func all() -> QueryInterfaceRequest<RowDecoder> { QueryInterfaceRequest(relation) }
}
