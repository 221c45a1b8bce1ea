import AmalgamCore
import CAmalgam

/// Finds out where values of hidden and denied columns show, other than in the columns themselves: in generated columns
/// that are computed from them, in the rowid, in virtual tables that read their table or a view of it, and in the shadow
/// tables of virtual tables.
///
/// SQLite reports what a view reads if a statement uses the view, but not if a virtual table does.
struct ProtectedColumns {
    private let connection: SQLiteConnection
    private let protectionOfColumn: (_ column: String, _ table: SchemaTable) -> AuthorizerDecision
    private let protectionOfTable: (SchemaTable) -> AuthorizerDecision
    private var visited: Set<ExactString> = []

    /// - Parameters:
    ///   - column: Returns the protection that the sandbox gives a column by its name.
    ///   - table: Returns the strictest protection that the sandbox gives a column of a table.
    init(
        _ connection: SQLiteConnection,
        column: @escaping (_ column: String, _ table: SchemaTable) -> AuthorizerDecision,
        table: @escaping (SchemaTable) -> AuthorizerDecision
    ) {
        self.connection = connection
        protectionOfColumn = column
        protectionOfTable = table
    }

    // MARK: Columns

    /// Returns the strictest protection of a column, of the columns from which it is computed, of the primary key if it is
    /// the rowid, and of the column with the same name in the table or view whose content a virtual table shows.
    mutating func protection(of column: String, in table: SchemaTable) -> AuthorizerDecision {
        guard isFirstVisit(column, table) else { return .allow }
        var result = protectionOfColumn(column, table)
        for source in columnSources(of: column, in: table) where result != .deny {
            result = stricter(result, protection(of: source, in: table))
        }
        // A hidden column of a virtual table isn't a column of its content: see `shows`.
        if isHidden(column, table) { return result }
        for content in sources(of: table).tables where result != .deny {
            result = stricter(result, protection(of: column, inContent: content))
        }
        return result
    }

    /// Returns the strictest protection of a column of a table or view that a virtual table reads, and of the columns that the
    /// view shows in it.
    private mutating func protection(of column: String, inContent table: SchemaTable) -> AuthorizerDecision {
        let view = ViewSources(connection, table, column: column)
        guard view.isView else { return shows(table, column: column) ? .deny : protection(of: column, in: table) }
        guard isFirstVisit(column, table) else { return .allow }
        var result = protectionOfColumn(column, table)
        guard let names = view.names else { return stricter(result, strictestProtection(in: view.tables)) }
        for table in view.tables {
            for name in names + [""] where result != .deny {
                result = stricter(result, protection(of: name, inContent: table))
            }
        }
        return result
    }

    /// Returns the strictest protection of all columns of the tables, and of the tables that show in them.
    private func strictestProtection(in tables: [SchemaTable]) -> AuthorizerDecision {
        guard let tables = self.tables(behind: tables) else { return .deny }
        return tables.reduce(.allow) { stricter($0, protectionOfTable($1)) }
    }

    private mutating func isFirstVisit(_ column: String, _ table: SchemaTable) -> Bool {
        visited.insert(ExactString("\(table.schema)\u{0}\(table.name)\u{0}\(column)")).inserted
    }

    private func stricter(_ first: AuthorizerDecision, _ second: AuthorizerDecision) -> AuthorizerDecision {
        first == .deny || second == .allow ? first : second
    }

    // MARK: Tables

    /// Whether a table, or a hidden column of a virtual table, stands for all columns of a table with protected columns.
    func shows(_ table: SchemaTable, column: String) -> Bool {
        strictestProtection(in: tablesShown(by: table, column: column)) != .allow
    }

    /// Returns a table, and all tables that show in it without a report of SQLite; nil if they aren't known.
    func tables(shownBy table: SchemaTable) -> Set<SchemaTable>? {
        let behind = sources(of: table).tables + [owner(ofShadowTable: table)].compactMap(\.self)
        return tables(behind: behind)?.union([table])
    }

    /// Returns the given tables, and all tables that show in them: the sources of virtual tables and views, and the virtual
    /// tables to which shadow tables belong. nil if a module can't be connected, which may show anything.
    private func tables(behind tables: [SchemaTable]) -> Set<SchemaTable>? {
        var result: Set<SchemaTable> = []
        var pending = tables
        while let next = pending.popLast() {
            guard result.insert(next).inserted else { continue }
            let sources = sources(of: next)
            if sources.areUnknown { return nil }
            pending += sources.tables + ViewSources(connection, next).tables
            if let owner = owner(ofShadowTable: next) { pending.append(owner) }
        }
        return result
    }

    /// The tables of which all columns show: those of a shadow table and of a vocabulary, and of a column such as `rank`.
    private func tablesShown(by table: SchemaTable, column: String) -> [SchemaTable] {
        if let owner = owner(ofShadowTable: table) { return [owner] }
        let sources = sources(of: table)
        if sources.areShownAsWords { return sources.tables }
        return isHidden(column, table) ? [table] : []
    }

    private func isHidden(_ column: String, _ table: SchemaTable) -> Bool {
        amalgam_is_hidden_column(connection, table.schema, table.name, column) != 0
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
