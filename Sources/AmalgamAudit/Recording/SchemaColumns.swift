internal import AmalgamCore
import CAmalgam

/// The columns of tables in one state of the main schema.
struct SchemaColumns {
    /// Each statement that changes the schema increments the version, some of them more than once.
    let version: Int64
    /// The names of all tables.
    let tableNames: Set<TableName>
    /// The tables whose columns are known. Those that the state lacks are known from an earlier state.
    var tables: [TableName: Table] = [:]

    struct Table {
        /// The version of the schema in which the table had these columns.
        let version: Int64
        let names: [TableName]
        /// Whether each column belongs to the primary key.
        let isKey: [Bool]
    }

    /// Reads the schema in memory, without a statement.
    ///
    /// - Parameter isIncluded: whether the columns of a table are read.
    /// - Returns: nil if SQLite hasn't read the current schema.
    init?(_ connection: SQLiteConnection, where isIncluded: (TableName) -> Bool) {
        var names: Set<TableName> = []
        version = withUnsafeMutablePointer(to: &names) { names in
            amalgam_image_table_names(connection, names) { names, name in
                names!.assumingMemoryBound(to: Set<TableName>.self).pointee.insert(TableName(String(cString: name!)))
            }
        }
        if version < 0 { return nil }
        tableNames = names
        for name in names where isIncluded(name) { tables[name] = Table(connection, name.spelling, version) }
    }

    /// Whether changes of the schema may lead from this state to a later one.
    func mayPrecede(_ state: SchemaColumns) -> Bool {
        if version != state.version { return version < state.version }
        return tables.allSatisfy { name, table in
            state.tables[name].map { $0.names == table.names } ?? !state.tableNames.contains(name)
        }
    }

    /// The least number of statements between this state and a later one that don't change columns: a statement creates, drops
    /// or renames at most one table.
    func otherChanges(to state: SchemaColumns) -> Int {
        max(state.tableNames.subtracting(tableNames).count, tableNames.subtracting(state.tableNames).count)
    }
}

extension SchemaColumns.Table {
    fileprivate init?(_ connection: SQLiteConnection, _ name: String, _ version: Int64) {
        var facts = amalgam_image_table()
        guard amalgam_image_table_facts(connection, name, &facts) != 0 else { return nil }
        let columns = (0..<facts.column_count).map { amalgam_image_table_column(connection, name, $0) }
        self.version = version
        names = columns.map { TableName(String(cString: $0.name)) }
        isKey = columns.map { $0.is_primary_key != 0 }
    }

    /// Returns the names that some columns of an earlier state may have in this one.
    ///
    /// `ALTER TABLE` renames a column in its place, drops any column that doesn't belong to the primary key, and adds
    /// columns at the end. So a column never moves to the right. If the table was created again, each new column may be
    /// one of the earlier ones.
    ///
    /// - Parameter otherChanges: the number of statements between both states that haven't changed columns.
    func names(
        of columns: Set<TableName>, in earlier: SchemaColumns.Table, otherChanges: Int
    ) -> Set<TableName> {
        if version <= earlier.version {
            // The application has set PRAGMA schema_version, so nothing is known.
            return names == earlier.names ? [] : Set(names).subtracting(keys(in: earlier, except: columns))
        }
        let changes = Int(version - earlier.version) - otherChanges
        var found = earlier.newNames(in: names, ifRenamed: columns)
        for place in earlier.names.indices where columns.contains(earlier.names[place]) {
            for later in names.indices.prefix(place + 1) where later == place || !isKey[later] {
                if minimumChanges(from: place, of: earlier, to: later) <= changes { found.insert(names[later]) }
            }
        }
        return found.subtracting(keys(in: earlier, except: columns))
    }

    /// The names of the columns that belong to the primary key in both states, in the same place, except for some columns.
    private func keys(in earlier: SchemaColumns.Table, except columns: Set<TableName>) -> Set<TableName> {
        let places = names.indices.prefix(earlier.names.count).filter { place in
            isKey[place] && earlier.isKey[place] && !columns.contains(earlier.names[place])
        }
        return Set(places.map { names[$0] })
    }

    /// The least number of changes after which the column at an earlier place can be at a place in this state.
    private func minimumChanges(from place: Int, of earlier: SchemaColumns.Table, to later: Int) -> Int {
        let drops = place - later
        let others = abs((earlier.names.count - place) - (names.count - later))
        return drops + others + (earlier.names[place] == names[later] ? 0 : 1)
    }

    /// Returns the columns of a later state that have new names, if one of the given columns isn't in its place.
    func newNames(in later: [TableName], ifRenamed columns: Set<TableName>) -> Set<TableName> {
        let isMoved = names.indices.contains { index in
            columns.contains(names[index]) && (index >= later.count || later[index] != names[index])
        }
        return isMoved ? Set(later).subtracting(names) : []
    }
}
