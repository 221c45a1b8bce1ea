public import AmalgamCore

extension FTS5Index {
    /// A persistent setting of a full-text index:
    /// <https://www.sqlite.org/fts5.html#configuration_options_config_table_>.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.set(db, .secureDelete(true))
    /// try index.set(db, .rank(.bm25([10, 1])))
    /// ```
    public struct Setting: Sendable {
        fileprivate let name: String
        fileprivate let value: DatabaseValue

        /// The number of segments in a level of the index at which FTS5 begins to merge them: 2 to 16, 4 by default.
        /// With 0, there are no automatic merges.
        public static func automerge(_ count: Int) -> Setting { Setting("automerge", count) }

        /// The number of segments in a level of the index at which FTS5 merges all of them at once, in the statement
        /// that adds the last of these segments. The default is 16.
        public static func crisismerge(_ count: Int) -> Setting { Setting("crisismerge", count) }

        /// The number of segments that a level must have for ``FTS5Index/merge(_:pageCount:startsOver:)`` to merge
        /// them: 2 to 16, 4 by default.
        public static func usermerge(_ count: Int) -> Setting { Setting("usermerge", count) }

        /// The approximate size of new pages of the index, in bytes: 32...65536. The default is 4050.
        public static func pageSize(_ byteCount: Int) -> Setting { Setting("pgsz", byteCount) }

        /// The amount of memory, in bytes, that tokens of new rows may use before FTS5 writes them to the index. The
        /// default is 1 MB.
        public static func hashSize(_ byteCount: Int) -> Setting { Setting("hashsize", byteCount) }

        /// The percentage of deleted rows in a segment at which FTS5 begins to merge the segment: 0 to 100, 10 by
        /// default. Only contentless-delete tables use this setting.
        public static func deletemerge(_ percentage: Int) -> Setting { Setting("deletemerge", percentage) }

        /// Whether deleting a row removes its entries from the index and the file at once. If false, the entries and a
        /// delete marker remain until segments are merged. After a row was deleted with this setting, versions of
        /// SQLite before 3.42 can't read the index.
        public static func secureDelete(_ isOn: Bool) -> Setting { Setting("secure-delete", isOn ? 1 : 0) }

        /// The auxiliary function of the `rank` column, for searches that don't specify it: see ``FTS5Rank``.
        public static func rank(_ rank: FTS5Rank) -> Setting { Setting("rank", rank.text) }

        private init(_ name: String, _ value: some DatabaseValueConvertible) {
            self.name = name
            self.value = value.databaseValue
        }
    }

    /// Changes a setting.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.set(db, .automerge(8))
    /// // INSERT INTO "document"("document", rank) VALUES ('automerge', 8)
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if FTS5 rejects the value.
    public func set(_ db: Database, _ setting: Setting) throws { try run(db, setting.name, setting.value) }

    /// Returns the settings that have been set for the table, by their names in SQL. Default values aren't included.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// try index.settings(db)["automerge"]   // 8
    /// ```
    ///
    /// An observation of the settings is notified when they, or the rows of the table, are changed.
    ///
    /// - Throws: A ``DatabaseError`` if the table doesn't exist.
    public func settings(_ db: Database) throws -> [String: DatabaseValue] {
        // FTS5 writes its shadow tables for writes of the table.
        try db.registerAccess(to: DatabaseRegion(table: tableName))
        let rows = try Row.fetchCursor(db, sql: "SELECT k, v FROM \(table("config"))")
        var settings: [String: DatabaseValue] = [:]
        while let row = try rows.next() { settings[row[0]] = row[1] }
        // The "version" row is the format of the index, not a setting.
        settings["version"] = nil
        return settings
    }

    private func table(_ suffix: String) -> String { "\(tableName)_\(suffix)".quotedDatabaseIdentifier }
}
