import AmalgamCore
import CAmalgam

/// Finds out where values of hidden and denied columns show, other than in the columns themselves: in generated columns
/// that are computed from them, in the rowid, in virtual tables that read their table, and in the shadow tables of virtual tables.
struct ProtectedColumns {
    private let connection: SQLiteConnection
    private let protection: (_ column: String, _ table: SchemaTable) -> AuthorizerDecision
    private var visited: Set<ExactString> = []

    init(
        _ connection: SQLiteConnection,
        protection: @escaping (_ column: String, _ table: SchemaTable) -> AuthorizerDecision
    ) {
        self.connection = connection
        self.protection = protection
    }

    /// Returns the strictest protection of a column, of the columns from which it is computed, of the primary key if it is
    /// the rowid, and of the column with the same name in the table whose content a virtual table shows.
    mutating func protection(of column: String, in table: SchemaTable) -> AuthorizerDecision {
        guard visited.insert(ExactString("\(table.schema)\u{0}\(table.name)\u{0}\(column)")).inserted else {
            return .allow
        }
        var result = protection(column, table)
        for source in columnSources(of: column, in: table) where result != .deny {
            result = stricter(result, protection(of: source, in: table))
        }
        for content in sources(of: table).tables where result != .deny {
            result = stricter(result, protection(of: column, in: content))
        }
        return result
    }

    private func stricter(_ first: AuthorizerDecision, _ second: AuthorizerDecision) -> AuthorizerDecision {
        first == .deny || second == .allow ? first : second
    }

    /// Whether a table, or a hidden column of a virtual table, stands for all columns of a table with protected columns.
    func shows(_ table: SchemaTable, column: String, protectsColumns: (SchemaTable) -> Bool) -> Bool {
        var visited: Set<SchemaTable> = []
        var tables = tablesShown(by: table, column: column)
        while let next = tables.popLast() {
            guard visited.insert(next).inserted else { continue }
            if protectsColumns(next) { return true }
            let sources = sources(of: next)
            // A module that can't be connected may show anything.
            if sources.areUnknown { return true }
            tables += sources.tables
        }
        return false
    }

    /// The tables of which all columns show: those of a shadow table and of a vocabulary, and of a column such as `rank`.
    private func tablesShown(by table: SchemaTable, column: String) -> [SchemaTable] {
        if let owner = owner(ofShadowTable: table) { return [owner] }
        let sources = sources(of: table)
        if sources.areShownAsWords { return sources.tables }
        return amalgam_is_hidden_column(connection, table.schema, table.name, column) != 0 ? [table] : []
    }

    private func owner(ofShadowTable table: SchemaTable) -> SchemaTable? {
        var owner: String?
        withUnsafeMutablePointer(to: &owner) { owner in
            amalgam_shadow_table_owner(connection, table.schema, table.name, owner) { owner, name in
                owner!.assumingMemoryBound(to: String?.self).pointee = String(cString: name!)
            }
        }
        return owner.map { SchemaTable(schema: table.schema, name: $0) }
    }

    private func columnSources(of column: String, in table: SchemaTable) -> [String] {
        var columns: [String] = []
        withUnsafeMutablePointer(to: &columns) { columns in
            amalgam_column_sources(connection, table.schema, table.name, column, columns) { columns, name in
                columns!.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name!))
            }
        }
        return columns
    }

    private func sources(of table: SchemaTable) -> VirtualTableSources { VirtualTableSources(connection, table) }
}
