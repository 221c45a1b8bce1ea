public import AmalgamCore
public import AmalgamQuery

/// The index of an ``FTS5`` table: how it is kept small, fast, and right.
///
/// ```swift
/// let index = FTS5Index("document")
/// try index.set(db, .secureDelete(true))
/// try index.optimize(db)
/// try index.checkIntegrity(db)
/// try index.size(db).byteCount   // 8192
/// ```
///
/// See <https://www.sqlite.org/fts5.html#special_insert_commands>.
public struct FTS5Index: Sendable {
    /// The full-text table.
    public let tableName: String

    /// The index of a table.
    public init(_ tableName: String) {
        self.tableName = tableName
    }

    /// The index of the table of a record.
    public init(_ type: (some TableRecord).Type) {
        self.init(type.databaseTableName)
    }
}

extension FTS5Index {
    /// Merges the parts of the index into one: the smallest and fastest index. It writes the whole index anew.
    ///
    /// ```swift
    /// try index.optimize(db)   // INSERT INTO "document"("document") VALUES ('optimize')
    /// ```
    public func optimize(_ db: Database) throws { try run(db, "optimize") }

    /// Does a part of the work of ``optimize(_:)``.
    ///
    /// ```swift
    /// while try index.merge(db, pageCount: 500) {}
    /// // INSERT INTO "document"("document", rank) VALUES ('merge', -500), and so on with 500
    /// ```
    ///
    /// - Parameters:
    ///   - pageCount: how much may be written at a time: about this number of pages of the index.
    ///   - startsOver: whether parts that were merged already count, too. It is to be so in the first of several calls.
    /// - Returns: whether something was merged: if so, there may be more to do.
    public func merge(_ db: Database, pageCount: Int = 500, startsOver: Bool = false) throws -> Bool {
        let count = db.totalChangesCount
        try run(db, "merge", startsOver ? -pageCount : pageCount)
        // The command itself counts as one change.
        return db.totalChangesCount - count >= 2
    }

    /// Makes the index anew of the texts: when the tokenizer has changed, or the texts of an external content table.
    ///
    /// - throws: a ``DatabaseError`` for a contentless table, which has no texts.
    public func rebuild(_ db: Database) throws { try run(db, "rebuild") }

    /// Removes all rows of a contentless table, or of one with external content, without looking at the texts.
    ///
    /// - throws: a ``DatabaseError`` for other tables: delete their rows.
    public func deleteAll(_ db: Database) throws { try run(db, "delete-all") }

    /// Compares the index with the texts.
    ///
    /// - Parameter comparesContent: whether texts of an external content table are compared. Those of the full-text table
    ///   always are.
    /// - throws: `SQLITE_CORRUPT_VTAB` when the index is not that of the texts: ``rebuild(_:)`` makes it so.
    public func checkIntegrity(_ db: Database, comparesContent: Bool = true) throws {
        try run(db, "integrity-check", comparesContent ? 1 : 0)
    }

    /// Writes what is waiting in memory to the index: it becomes part of the transaction. FTS5 does so by itself at the
    /// end of the transaction.
    public func flush(_ db: Database) throws { try run(db, "flush") }

    /// Runs a command of FTS5.
    private func run(_ db: Database, _ command: String, _ value: (any DatabaseValueConvertible)? = nil) throws {
        let table = tableName.quotedDatabaseIdentifier
        if let value {
            try db.execute(
                sql: "INSERT INTO \(table)(\(table), rank) VALUES (?, ?)", arguments: [command, value])
        } else {
            try db.execute(sql: "INSERT INTO \(table)(\(table)) VALUES (?)", arguments: [command])
        }
    }
}

// MARK: - Settings

extension FTS5Index {
    /// A setting of an index, which is stored with it: <https://www.sqlite.org/fts5.html#configuration_options_config_table_>.
    public struct Setting: Sendable {
        fileprivate let name: String
        fileprivate let value: DatabaseValue

        /// How many parts of one level of the index are merged by themselves: 2...16, 4 at first. 0: none are.
        public static func automerge(_ count: Int) -> Setting { Setting("automerge", count) }

        /// How many parts of one level make FTS5 merge at once, in the statement that adds the last one. 16 at first.
        public static func crisismerge(_ count: Int) -> Setting { Setting("crisismerge", count) }

        /// How many parts of one level ``FTS5Index/merge(_:pageCount:startsOver:)`` merges at least: 2...16, 4 at first.
        public static func usermerge(_ count: Int) -> Setting { Setting("usermerge", count) }

        /// The size of the pages of the index in bytes, 32...65536: of new pages, about. 4050 at first.
        public static func pageSize(_ byteCount: Int) -> Setting { Setting("pgsz", byteCount) }

        /// How much memory the tokens of new rows take, in bytes, before they are written to the index. 1 MB at first.
        public static func hashSize(_ byteCount: Int) -> Setting { Setting("hashsize", byteCount) }

        /// How many percent of the rows of a part must be deleted before it is merged by itself, 0...100: for contentless
        /// tables with deletion. 10 at first.
        public static func deletemerge(_ percentage: Int) -> Setting { Setting("deletemerge", percentage) }

        /// Whether deleting a row removes it from the index at once, with nothing of it left in the file. Else the index
        /// says that it was deleted, until parts are merged. Once a row was deleted so, SQLite before 3.42 cannot read the
        /// index any more.
        public static func secureDelete(_ isOn: Bool) -> Setting { Setting("secure-delete", isOn ? 1 : 0) }

        /// What the column `rank` is, if a search does not say it: see ``FTS5Rank``.
        public static func rank(_ rank: FTS5Rank) -> Setting { Setting("rank", rank.text) }

        private init(_ name: String, _ value: some DatabaseValueConvertible) {
            self.name = name
            self.value = value.databaseValue
        }
    }

    /// Changes a setting.
    ///
    /// ```swift
    /// try index.set(db, .automerge(8))
    /// // INSERT INTO "document"("document", rank) VALUES ('automerge', 8)
    /// ```
    ///
    /// - throws: a ``DatabaseError`` for a value that FTS5 does not accept.
    public func set(_ db: Database, _ setting: Setting) throws { try run(db, setting.name, setting.value) }

    /// The settings that were changed, by their names in SQL.
    ///
    /// ```swift
    /// try index.settings(db)["automerge"]   // 8
    /// ```
    public func settings(_ db: Database) throws -> [String: DatabaseValue] {
        let rows = try Row.fetchCursor(db, sql: "SELECT k, v FROM \(table("config"))")
        var settings: [String: DatabaseValue] = [:]
        while let row = try rows.next() { settings[row[0]] = row[1] }
        // The format of the index, which is no setting.
        settings["version"] = nil
        return settings
    }

    fileprivate func table(_ suffix: String) -> String { "\(tableName)_\(suffix)".quotedDatabaseIdentifier }
}

// MARK: - Size

extension FTS5Index {
    /// The space that a full-text table takes in the database file.
    public struct Size: Hashable, Sendable {
        /// A table of FTS5, or an index of one.
        public struct Part: Hashable, Sendable {
            /// `data` has the index, `idx` the first tokens of its pages, `content` the texts, `docsize` the numbers of
            /// tokens, and `config` the settings.
            public let name: String

            /// The number of pages of the file.
            public let pageCount: Int

            /// The size of these pages.
            public let byteCount: Int

            /// How many bytes of these pages hold nothing.
            public let unusedByteCount: Int
        }

        /// The parts, largest first.
        public let parts: [Part]

        /// The size of all pages.
        public var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

        /// The size of the pages of one part; 0 when there is no such part.
        public subscript(part: String) -> Int { parts.first { $0.name == part }?.byteCount ?? 0 }
    }

    /// The space that the table takes in the file. It reads all pages of it.
    ///
    /// ```swift
    /// let size = try index.size(db)
    /// size.byteCount   // 20480
    /// size["data"]     // 8192: the index without the texts
    /// ```
    ///
    /// See <https://www.sqlite.org/dbstat.html>.
    ///
    /// - throws: a ``DatabaseError`` when there is no such table.
    public func size(_ db: Database) throws -> Size {
        _ = try db.columns(in: tableName)
        let suffixes = ["data", "idx", "content", "docsize", "config"]
        var parts: [Size.Part] = []
        for suffix in suffixes {
            let row = try Row.fetchOne(
                db, sql: "SELECT pageno, pgsize, unused FROM dbstat WHERE name = ? AND aggregate = TRUE",
                arguments: ["\(tableName)_\(suffix)"])
            guard let row else { continue }
            parts.append(
                Size.Part(name: suffix, pageCount: row[0], byteCount: row[1], unusedByteCount: row[2]))
        }
        return Size(parts: parts.sorted { $0.byteCount > $1.byteCount })
    }
}
