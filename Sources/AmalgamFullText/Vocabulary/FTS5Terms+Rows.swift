public import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords

extension FTS5Terms {
    /// A term of a full-text table: a row of a vocabulary table of the type ``FTS5VocabTable/Rows/row``.
    ///
    /// ```swift
    /// let terms = try Table<FTS5Terms.Term>("documentTerms").filter { $0.documentCount > 10 }.fetchAll(db)
    /// // SELECT * FROM "documentTerms" WHERE "doc" > 10
    /// ```
    public struct Term: FetchableRecord, TableRecord, Hashable, Sendable {
        /// The columns.
        public enum Columns {
            /// The column `term`: the term.
            public static let term = Column("term")

            /// The column `doc`: the number of documents with the term.
            public static let documentCount = Column("doc")

            /// The column `cnt`: the number of occurrences of the term.
            public static let occurrenceCount = Column("cnt")
        }

        /// The term.
        public var term: String

        /// The number of documents with the term.
        public var documentCount: Int

        /// The number of occurrences of the term; nil for a table with less than `detail=full`.
        public var occurrenceCount: Int?

        /// - Throws: A ``RowDecodingError`` if the row doesn't have these columns.
        public init(row: Row) throws {
            term = try row.decode(forColumn: Columns.term.name)
            documentCount = try row.decode(forColumn: Columns.documentCount.name)
            occurrenceCount = try row.decode(forColumn: Columns.occurrenceCount.name)
        }
    }

    /// A term in a column of a full-text table: a row of a vocabulary table of the type ``FTS5VocabTable/Rows/column``.
    ///
    /// ```swift
    /// let terms = Table<FTS5Terms.ColumnTerm>("documentColumnTerms").filter { $0.column == "title" }
    /// // SELECT * FROM "documentColumnTerms" WHERE "col" = 'title'
    /// ```
    public struct ColumnTerm: FetchableRecord, TableRecord, Hashable, Sendable {
        /// The columns.
        public enum Columns {
            /// The column `term`: the term.
            public static let term = Column("term")

            /// The column `col`: the column of the full-text table.
            public static let column = Column("col")

            /// The column `doc`: the number of documents with the term in the column.
            public static let documentCount = Column("doc")

            /// The column `cnt`: the number of occurrences of the term in the column.
            public static let occurrenceCount = Column("cnt")
        }

        /// The term.
        public var term: String

        /// The column of the full-text table; nil for a table with `detail=none`.
        public var column: String?

        /// The number of documents with the term in the column.
        public var documentCount: Int

        /// The number of occurrences of the term in the column; nil for a table with less than `detail=full`.
        public var occurrenceCount: Int?

        /// - Throws: A ``RowDecodingError`` if the row doesn't have these columns.
        public init(row: Row) throws {
            term = try row.decode(forColumn: Columns.term.name)
            column = try row.decode(forColumn: Columns.column.name)
            documentCount = try row.decode(forColumn: Columns.documentCount.name)
            occurrenceCount = try row.decode(forColumn: Columns.occurrenceCount.name)
        }
    }

    /// An occurrence of a term in a document: a row of a vocabulary table of the type ``FTS5VocabTable/Rows/instance``.
    ///
    /// ```swift
    /// let places = Table<FTS5Terms.Instance>("documentInstances").filter { $0.term == "sqlite" }
    /// // SELECT * FROM "documentInstances" WHERE "term" = 'sqlite'
    /// ```
    public struct Instance: FetchableRecord, TableRecord, Hashable, Sendable {
        /// The columns.
        public enum Columns {
            /// The column `term`: the term.
            public static let term = Column("term")

            /// The column `doc`: the rowid of the document.
            public static let documentID = Column("doc")

            /// The column `col`: the column of the full-text table.
            public static let column = Column("col")

            /// The column `offset`: the number of tokens before this one in the column.
            public static let offset = Column("offset")
        }

        /// The term.
        public var term: String

        /// The rowid of the document.
        public var documentID: Int64

        /// The column of the full-text table; nil for a table with `detail=none`.
        public var column: String?

        /// The number of tokens before this one in the column; nil for a table with less than `detail=full`.
        public var offset: Int?

        /// - Throws: A ``RowDecodingError`` if the row doesn't have these columns.
        public init(row: Row) throws {
            term = try row.decode(forColumn: Columns.term.name)
            documentID = try row.decode(forColumn: Columns.documentID.name)
            column = try row.decode(forColumn: Columns.column.name)
            offset = try row.decode(forColumn: Columns.offset.name)
        }
    }
}
