public import AmalgamCore

extension FTS5Index {
    /// The space that a full-text table uses in the database file.
    ///
    /// ```swift
    /// let size = try FTS5Index("document").size(db)
    /// for part in size.parts {
    ///     print(part.name, part.pageCount, part.byteCount)
    /// }
    /// ```
    public struct Size: Hashable, Sendable {
        /// The size of one shadow table.
        public struct Part: Hashable, Sendable {
            /// The suffix of the shadow table's name: `data` stores the index, `idx` the first tokens of index pages,
            /// `content` the content, `docsize` the numbers of tokens, and `config` the settings.
            public let name: String

            /// The number of database pages.
            public let pageCount: Int

            /// The size of these pages, in bytes.
            public let byteCount: Int

            /// The number of unused bytes on these pages.
            public let unusedByteCount: Int
        }

        /// The parts, largest first.
        public let parts: [Part]

        /// The size of all pages, in bytes.
        public var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

        /// The size of the pages of one part, in bytes; 0 if there is no such part.
        public subscript(part: String) -> Int { parts.first { $0.name == part }?.byteCount ?? 0 }
    }

    /// Returns the space that the table uses in the file. The method reads all pages of the table.
    ///
    /// ```swift
    /// let index = FTS5Index("document")
    /// let size = try index.size(db)
    /// size.byteCount   // 20480
    /// size["data"]     // 8192: the index without the content
    /// ```
    ///
    /// See <https://www.sqlite.org/dbstat.html>.
    ///
    /// - Throws: A ``DatabaseError`` if the table doesn't exist.
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
