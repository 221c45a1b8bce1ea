public import AmalgamCore

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
