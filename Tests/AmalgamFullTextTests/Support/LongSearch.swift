import Amalgam
import TestSupport
import Testing

/// A search of a table of many documents that takes thousands of steps.
enum LongSearch: String, CaseIterable, CustomTestStringConvertible {
    case term, allTerms, anyTerm, groups, phrase, exclusion, typos, typosInGroups

    var testDescription: String { rawValue }

    /// Creates 20,000 documents with the word `common`. Every third one has `word`, the others `wort`.
    static func createDocuments(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE document USING fts5(title);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
                INSERT INTO document SELECT iif(i % 3 = 0, 'common word', 'a common wort') || ' number' || i FROM n
                """)
    }

    private var query: FTS5Query {
        switch self {
        case .term: "common"
        case .allTerms: "common" && "wort"
        case .anyTerm: "word" || "wort"
        case .groups: ("common" || "number5") && ("word" || "wort")
        case .phrase: "common wort"
        case .exclusion: FTS5Query("common").not("word")
        case .typos: .fuzzy("comon")
        case .typosInGroups: .fuzzy("comon word")
        }
    }

    /// The best five documents.
    func rowIDs(_ db: Database) throws -> [Int] {
        try Table("document").matching(query).order(Column.rank, Column.rowID).limit(5)
            .select(Column.rowID, as: Int.self).fetchAll(db)
    }

    /// The best five documents.
    var expected: [Int] {
        switch self {
        case .term, .anyTerm, .typos, .typosInGroups: [3, 6, 9, 12, 15]
        case .groups: [5, 3, 6, 9, 12]
        case .allTerms, .phrase, .exclusion: [1, 2, 4, 5, 7]
        }
    }
}
