import CAmalgam

/// A table of a schema, in the spelling of the schema. Names are compared by their bytes.
package struct SchemaTable: Hashable, Sendable {
    package var schema: String
    package var name: String

    package init(schema: String, name: String) {
        self.schema = schema
        self.name = name
    }

    package static func == (lhs: SchemaTable, rhs: SchemaTable) -> Bool {
        lhs.name.equalsExactly(rhs.name) && lhs.schema.equalsExactly(rhs.schema)
    }
}

/// What a virtual table of SQLite reads in addition to its shadow tables: the content of an index without content, the
/// table whose words `fts5vocab` shows, or all pages of the database.
package struct VirtualTableSources {
    package private(set) var tables: [SchemaTable] = []

    /// Whether the virtual table reads all pages, as `dbstat` does.
    package let areAllTables: Bool
    /// Whether the virtual table shows words of `tables`, and not their columns.
    package let areShownAsWords: Bool
    /// Whether the virtual table isn't connected, so that only its module knows.
    package let areUnknown: Bool

    package init(_ connection: SQLiteConnection, _ table: SchemaTable) {
        var tables: [SchemaTable] = []
        let answer = withUnsafeMutablePointer(to: &tables) { tables in
            amalgam_virtual_table_sources(connection, table.schema, table.name, tables) { tables, schema, name in
                guard let schema, let name else { return }
                let source = SchemaTable(schema: String(cString: schema), name: String(cString: name))
                tables!.assumingMemoryBound(to: [SchemaTable].self).pointee.append(source)
            }
        }
        self.tables = tables
        areAllTables = answer == CInt(AMALGAM_READS_ALL_PAGES)
        areShownAsWords = answer == CInt(AMALGAM_SHOWS_WORDS_OF_SOURCE)
        areUnknown = answer == CInt(AMALGAM_SOURCES_ARE_UNKNOWN)
    }
}
