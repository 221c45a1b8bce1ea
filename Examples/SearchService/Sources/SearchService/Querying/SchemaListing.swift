import Amalgam

/// The tables that a query can read.
struct SchemaListing: Codable, Equatable, Sendable {
    struct Table: Codable, Equatable, Sendable {
        var name: String
        var kind: String
        var columns: [Column]
        var indexes: [Index]
    }

    struct Column: Codable, Equatable, Sendable {
        var name: String
        var type: String
        var isNotNull: Bool
        var isPrimaryKey: Bool
    }

    struct Index: Codable, Equatable, Sendable {
        var name: String
        var columns: [String]
        var isUnique: Bool
    }

    var tables: [Table]

    /// Reads the schema. The tables in which SQLite stores a full-text index aren't listed.
    init(_ db: Database) throws {
        tables = try db.tables(in: "main")
            .filter { $0.kind != .shadow && !$0.name.hasPrefix("sqlite_") && !$0.name.hasPrefix("__") }
            .map { try Table(db, $0) }
            .sorted { $0.name < $1.name }
    }
}

extension SchemaListing.Table {
    fileprivate init(_ db: Database, _ table: TableInfo) throws {
        name = table.name
        kind = "\(table.kind)"
        columns = try db.columns(in: table.name).map {
            SchemaListing.Column(
                name: $0.name, type: $0.type, isNotNull: $0.isNotNull, isPrimaryKey: $0.primaryKeyIndex > 0)
        }
        indexes =
            try table.kind == .table
            ? db.indexes(on: table.name).map {
                SchemaListing.Index(name: $0.name, columns: $0.columns, isUnique: $0.isUnique)
            } : []
    }
}
