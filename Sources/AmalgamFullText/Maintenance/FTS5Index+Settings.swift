public import AmalgamCore

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

    private func table(_ suffix: String) -> String { "\(tableName)_\(suffix)".quotedDatabaseIdentifier }
}
