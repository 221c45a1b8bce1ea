/// What is damaged in a database, in words, and what to do.
///
/// ```swift
/// let report = try dbQueue.read { db in try db.integrityReport() }
/// if !report.isIntact { print(report) }
/// // The index player_name doesn't match the rows of player: REINDEX "player_name" builds it again.
/// ```
///
/// See ``Database/integrityReport(in:limit:)``.
public struct IntegrityReport: Sendable, Hashable {
    /// What has a problem.
    public enum Subject: Sendable, Hashable {
        /// An index, which has other entries than its table has rows.
        case index(String, table: String)
        /// The index of a full-text table, which doesn't match the content.
        case fullTextIndex(String)
        /// Another virtual table, such as an R*Tree.
        case virtualTable(String)
        /// A value that violates a constraint of its table: NOT NULL, CHECK, UNIQUE, or the type of a STRICT table.
        case rows(table: String)
        /// The pages of a table: rows are missing or damaged.
        case table(String)
        /// Pages that belong to nothing. They take room, and no content is lost.
        case unusedPages
        /// The list of free pages.
        case freePages
        /// Pages whose owner isn't known.
        case pages
        /// The schema, or the header of the file. Nothing can be read.
        case schema
    }

    /// What repairs a problem.
    public enum Remedy: Sendable, Hashable {
        /// A statement that loses no content, such as `REINDEX` or the command `rebuild` of a full-text table.
        case statement(String)
        /// A change of rows by the application.
        case rows
        /// A recovery into a new file, or the last backup.
        case recovery
    }

    /// One thing that is damaged.
    public struct Problem: Sendable, Hashable {
        /// What has the problem.
        public let subject: Subject

        /// What repairs it.
        public let remedy: Remedy

        /// SQLite's descriptions of the problem.
        public internal(set) var messages: [String]

        /// The problem in words, with what to do.
        public var description: String { "\(summary): \(advice)" }
    }

    /// The problems, in the order in which SQLite reports them.
    public let problems: [Problem]

    /// Whether no problem was found.
    public var isIntact: Bool { problems.isEmpty }

    /// Whether a problem can't be repaired in the file: its content is to be saved in a new one, or a backup restored.
    public var needsRecovery: Bool { problems.contains { $0.remedy == .recovery } }

    /// The statements that repair the file, if all problems can be repaired by statements; otherwise empty.
    ///
    /// ```swift
    /// for statement in report.repairStatements { try db.execute(sql: statement) }
    /// ```
    ///
    /// Run them outside of a transaction, one by one, and make another report afterwards.
    public var repairStatements: [String] {
        var statements: [String] = []
        for problem in problems {
            guard case .statement(let sql) = problem.remedy else { return [] }
            if !statements.contains(sql) { statements.append(sql) }
        }
        return statements
    }

    init(problems: [Problem]) { self.problems = problems }
}

extension IntegrityReport: CustomStringConvertible {
    /// The problems in words, one line each, and at the end what to do with the file.
    public var description: String {
        if isIntact { return "The database is intact." }
        return (problems.map(\.description) + [conclusion]).joined(separator: "\n")
    }

    private var conclusion: String {
        if needsRecovery {
            return """
                The file can't be repaired. Restore a backup, or save the content in a new file: \
                DatabaseRecovery(of: path).recover(into: newPath).
                """
        }
        if repairStatements.isEmpty {
            return "No page is damaged. Correct the rows, then check again."
        }
        return "No content is lost. Run \(repairStatements.joined(separator: "; ")), then check again."
    }
}

extension IntegrityReport.Problem {
    private var summary: String {
        switch subject {
        case .index(let name, let table): "The index \(name) doesn't match the rows of \(table)"
        case .fullTextIndex(let name): "The full-text index \(name) doesn't match its content"
        case .virtualTable(let name): "The virtual table \(name) is damaged"
        case .rows(let table): "Rows of \(table) violate its constraints"
        case .table(let name): "The pages of the table \(name) are damaged, and rows are missing"
        case .unusedPages: "Pages of the file are used by nothing"
        case .freePages: "The list of free pages is damaged"
        case .pages: "Pages of the file are damaged"
        case .schema: "The schema can't be read"
        }
    }

    private var advice: String {
        switch remedy {
        case .statement(let sql):
            switch subject {
            case .unusedPages, .freePages: "\(sql) removes them, and loses nothing."
            default: "\(sql) builds it again."
            }
        case .rows: "change or delete them. \(messages.first ?? "")"
        case .recovery: "save what can be read in a new file. \(messages.first ?? "")"
        }
    }
}
