/// What a recovery has saved, and what it hasn't.
///
/// ```swift
/// let report = try DatabaseRecovery(of: path).recover(into: newPath)
/// for table in report.tables { print(table.name, table.savedRowCount) }
/// print(report)
/// // player: 998 rows saved
/// // lost_and_found: 2 rows whose table isn't known
/// ```
///
/// The file doesn't tell which rows it had before it was damaged: the report has what was found.
public struct RecoveryReport: Sendable, Hashable {
    /// The rows of one table.
    public struct Table: Sendable, Hashable {
        /// The name of the table.
        public let name: String

        /// The number of rows that were saved.
        public let savedRowCount: Int

        /// The number of rows that were found, and refused by the table: a key that another row has, a NOT NULL or CHECK
        /// constraint, a type of a STRICT table. Many are older copies of rows that were saved.
        public let refusedRowCount: Int
    }

    /// A full-text table, or another virtual table.
    public struct VirtualTable: Sendable, Hashable {
        /// What became of a virtual table.
        public enum State: Sendable, Hashable {
            /// The index was built again from the content that was saved.
            case rebuilt
            /// The table was saved unchanged: its own check finds no damage, or its module has no check.
            case kept
            /// The table was saved, and its own check finds damage, which the message describes. Its content can't be had back
            /// from the file.
            case damaged(String)
            /// The table is in the schema, but can't be used by a connection of this configuration: a tokenizer, a module or
            /// the content is missing. A connection that has it can use the table. A full-text index is rebuilt then.
            case unavailable(String)
        }

        /// The name of the virtual table.
        public let name: String

        /// The name of the module, such as `fts5`.
        public let module: String

        /// What became of the table.
        public let state: State

        /// The number of rows of content that were saved; nil for a table that stores no content of its own.
        public let savedRowCount: Int?
    }

    /// The table with the rows whose table isn't known.
    public struct LostAndFound: Sendable, Hashable {
        /// The name of the table.
        public let tableName: String

        /// The number of its rows.
        public let rowCount: Int
    }

    /// A table, index, view or trigger that the schema of the damaged file has, and the new one hasn't.
    public struct MissingObject: Sendable, Hashable {
        /// `table`, `index`, `view` or `trigger`.
        public let type: String

        /// The name.
        public let name: String

        /// The SQL that couldn't be run: it is damaged, or needs a function, a collation or a module that the connection lacks.
        public let sql: String
    }

    /// The tables of the schema, in alphabetical order, without those of virtual tables and SQLite's own.
    public let tables: [Table]

    /// The virtual tables, in alphabetical order.
    public let virtualTables: [VirtualTable]

    /// The rows whose table isn't known; nil if there are none.
    public let lostAndFound: LostAndFound?

    /// What is missing in the new schema.
    public let missingObjects: [MissingObject]

    /// The number of pages of the damaged file.
    public let pageCount: Int

    /// The number of pages of an encrypted file that the key didn't decrypt, because they are damaged. Their rows are lost.
    public let undecryptablePageCount: Int

    /// The number of bytes of the damaged file that the disk couldn't read.
    public let unreadableByteCount: Int

    /// Whether the first page of an encrypted file couldn't be decrypted. It has the beginning of the schema, so that all
    /// rows are in the table of ``lostAndFound``.
    public let hasLostFirstPage: Bool

    /// The number of rows saved in their tables.
    public var savedRowCount: Int { tables.reduce(0) { $0 + $1.savedRowCount } }
}

extension RecoveryReport: CustomStringConvertible {
    /// The report in words, one line for each table. It contains names, and no values.
    public var description: String {
        var lines = tables.map { table in
            let refused = table.refusedRowCount == 0 ? "" : ", \(table.refusedRowCount) refused"
            return "\(table.name): \(table.savedRowCount) rows saved\(refused)"
        }
        lines += virtualTables.map { "\($0.name): \($0.stateDescription)" }
        if let lostAndFound {
            lines.append("\(lostAndFound.tableName): \(lostAndFound.rowCount) rows whose table isn't known")
        }
        lines += missingObjects.map { "The \($0.type) \($0.name) couldn't be created." }
        if hasLostFirstPage { lines.append("The first page couldn't be decrypted: the schema is lost.") }
        if undecryptablePageCount > 0 {
            lines.append("\(undecryptablePageCount) of \(pageCount) pages couldn't be decrypted: their rows are lost.")
        }
        if unreadableByteCount > 0 { lines.append("The disk couldn't read \(unreadableByteCount) bytes of the file.") }
        return lines.isEmpty ? "Nothing was found." : lines.joined(separator: "\n")
    }
}

extension RecoveryReport.VirtualTable {
    fileprivate var stateDescription: String {
        switch state {
        case .rebuilt: savedRowCount.map { "index built again, \($0) rows of content saved" } ?? "index built again"
        case .kept: "saved unchanged"
        case .damaged(let message): "saved, but damaged: \(message)"
        case .unavailable(let message): "saved, but this connection can't use it: \(message)"
        }
    }
}
