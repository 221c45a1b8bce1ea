import CAmalgam

/// What look-ups found out about the tables and views of a connection.
///
/// A look-up asks SQLite's own picture of the schema for the table first (`amalgam_schema_find`). The answer names the
/// table by its address, and the state of its schema by a stamp. The cache is a dictionary by address for each schema,
/// emptied when the stamp has changed: after a change by this connection, its rollback, a change by another connection,
/// VACUUM, a backup into the connection, ATTACH and DETACH. A temporary table that hides a table of main has a different
/// address.
///
/// The columns of a temporary view follow the tables of other schemas, which may have changed in their files since: it
/// isn't cached.
struct SchemaCache {
    private struct Schema {
        var stamp: UInt64 = 0
        var tables: [UnsafeRawPointer: TableDescription] = [:]
    }

    /// By the number of the schema.
    private var schemas: [Schema] = []

    /// What is known of a table, which may be nothing yet.
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

    /// Forgets everything.
    mutating func removeAll() { schemas = [] }

    /// Forgets the keys of views, which come from a schema source.
    func removeKeysOfViews() {
        for schema in schemas {
            for table in schema.tables.values where table.kind == .view { table.primaryKey = nil }
        }
    }
}

/// A table or view in one state of its schema. What must be read from SQLite is read when somebody asks for it.
package final class TableDescription {
    package let id: DatabaseObjectID
    let kind: TableInfo.Kind
    let hasRowID: Bool
    let isStrict: Bool

    /// The column that is an alias of the rowid.
    let rowIDColumn: String?

    /// The number of the schema.
    let schemaIndex: CInt

    /// How often something was read.
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
