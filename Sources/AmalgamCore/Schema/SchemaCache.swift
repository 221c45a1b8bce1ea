import CAmalgam

/// The cached results of look-ups of a connection's tables and views.
///
/// A look-up first calls `amalgam_schema_find`, which finds the table in SQLite's in-memory schema. It returns the
/// address of SQLite's table object, and a stamp: a number that changes when the schema may have changed, because of a
/// statement of any connection, a rollback, VACUUM, a backup into the connection, ATTACH or DETACH.
///
/// For each schema, the cache maps addresses to descriptions, and is emptied when the stamp changes. A temporary table
/// that hides a table of main has a different address. Temporary views aren't cached: their columns depend on tables of
/// other schemas, which may have changed without a change of the stamp of the temporary schema.
struct SchemaCache {
    private struct Schema {
        var stamp: UInt64 = 0
        var tables: [UnsafeRawPointer: TableDescription] = [:]
    }

    /// The caches, by index of the schema.
    private var schemas: [Schema] = []

    /// Returns the cached description of a table, or a new one, whose details aren't read yet.
    mutating func description(
        of table: amalgam_schema_object, identity: UnsafeRawPointer, make: () -> TableDescription
    ) -> TableDescription {
        let index = Int(table.schema)
        while schemas.count <= index { schemas.append(Schema()) }
        if schemas[index].stamp != table.stamp {
            schemas[index] = Schema(stamp: table.stamp)
        } else if let description = schemas[index].tables[identity] {
            return description
        }
        let description = make()
        if !description.isTemporaryView { schemas[index].tables[identity] = description }
        return description
    }

    /// Empties the cache.
    mutating func removeAll() { schemas = [] }

    /// Removes the keys of views, which come from a schema source.
    func removeKeysOfViews() {
        for schema in schemas {
            for table in schema.tables.values where table.kind == .view { table.primaryKey = nil }
        }
    }
}

/// A table or view in one state of its schema. Its details are read from SQLite on first use.
package final class TableDescription {
    package let id: DatabaseObjectID
    let kind: TableInfo.Kind
    let hasRowID: Bool
    let isStrict: Bool

    /// The column that is an alias of the rowid.
    let rowIDColumn: String?

    /// The index of the schema.
    let schemaIndex: CInt

    /// The number of times that details were read.
    var readings = 0

    var columns: [ColumnInfo]?
    var primaryKey: PrimaryKeyInfo?
    var indexes: [IndexInfo]?
    var foreignKeyDeclarations: [ForeignKeyDeclaration]?
    var foreignKeys: [ForeignKeyInfo]?

    init(_ table: amalgam_schema_object, schemaID: DatabaseSchemaID) {
        id = DatabaseObjectID(name: String(cString: table.name), schemaID: schemaID)
        kind = TableInfo.Kind(table.kind)
        hasRowID = table.has_rowid != 0
        isStrict = table.is_strict != 0
        rowIDColumn = table.rowid_column.map { String(cString: $0) }
        schemaIndex = table.schema
    }

    var isTemporaryView: Bool { kind == .view && schemaIndex == 1 }
}

extension TableInfo.Kind {
    fileprivate init(_ kind: CInt) {
        switch Int(kind) {
        case Int(AMALGAM_KIND_VIEW): self = .view
        case Int(AMALGAM_KIND_VIRTUAL): self = .virtual
        case Int(AMALGAM_KIND_SHADOW): self = .shadow
        default: self = .table
        }
    }
}
