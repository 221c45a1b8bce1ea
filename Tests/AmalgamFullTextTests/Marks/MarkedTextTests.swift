import Amalgam
import Foundation
import Testing

@Suite("Strings with marked ranges")
struct MarkedTextTests {
    @Test("a string with the ranges that match")
    func markedText() throws {
        struct Hit: Decodable, FetchableRecord {
            var title: String
            var marked: FTS5MarkedText
        }
        try withDocuments(["Un café à Orléans, un Café!", "rien"]) { db in
            let request = Document.matching(FTS5Pattern(matchingAnyTokenIn: "cafe orleans"))
                .select { [$0.title, FTS5.markedText($0.body).forKey("marked")] }
            let hit = try #require(try request.asRequest(of: Hit.self).fetchOne(db))
            let text = hit.marked.text
            #expect(text == "Un café à Orléans, un Café!")
            #expect(hit.marked.marks.map { String(text[$0.range]) } == ["café", "Orléans", "Café"])
            #expect(hit.marked.marks.map(\.phrase) == [0, 1, 0])
            #expect(FTS5MarkedText.fromDatabaseValue(hit.marked.databaseValue) == hit.marked)
        }
    }

    @Test("phrases that overlap are one range")
    func overlap() throws {
        try withDocuments(["a b c d"]) { db in
            let pattern = try FTS5Pattern(rawPattern: "\"a b\" AND \"b c\" AND d")
            let marked = try #require(
                try Document.matching(pattern)
                    .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self).fetchOne(db))
            #expect(marked.marks.map { String(marked.text[$0.range]) } == ["a b", "b c", "d"])
            #expect(marked.ranges.map { String(marked.text[$0]) } == ["a b c", "d"])
        }
    }

    @Test("bytes that aren't a marked text")
    func malformedMarks() {
        #expect(FTS5MarkedText.fromDatabaseValue("plain".databaseValue)?.text == "plain")
        #expect(FTS5MarkedText.fromDatabaseValue(.null) == nil)
        for bytes: [UInt8] in [
            [], [1], [1, 0, 0, 0], [255, 255, 255, 255, 0], [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0],
        ] {
            let marked = FTS5MarkedText.fromDatabaseValue(Data(bytes).databaseValue)
            #expect(marked == nil || marked?.marks.isEmpty == true)
        }
    }

    @Test("a string that isn't UTF-8 is marked where it matches")
    func markedBytes() throws {
        try withArticles { db in
            try db.execute(
                sql: "INSERT INTO article(title) VALUES (CAST(x'80ff80' || 'a needle ' || x'c3' || ' needle' AS TEXT))")
            let request = Article.matching("needle").select(FTS5.markedText(Column("title")), as: FTS5MarkedText.self)
            let marked = try #require(try request.fetchOne(db))
            #expect(marked.ranges.map { String(marked.text[$0]) } == ["needle", "needle"])
        }
    }

    @Test("segments are the whole string, marked and not marked in turn")
    func segments() throws {
        try withDocuments(["a b c d", "b", "d e"]) { db in
            let request = Document.matching(try FTS5Pattern(rawPattern: "b OR \"a b\" OR d"))
                .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self).order(Column.rowID)
            let segments = try request.fetchAll(db).map {
                $0.segments.map { $0.isMarked ? "[\($0.text)]" : "\($0.text)" }
            }
            #expect(segments == [["[a b]", " c ", "[d]"], ["[b]"], ["[d]", " e"]])
            #expect(FTS5MarkedText.fromDatabaseValue("".databaseValue)?.segments == [])
            #expect(FTS5MarkedText.fromDatabaseValue("x".databaseValue)?.segments.map(\.isMarked) == [false])
        }
    }

    @Test("a marked text is encoded and decoded")
    func coding() throws {
        try withDocuments(["x café y"]) { db in
            let request = Document.matching("cafe" as FTS5Query)
                .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
            let marked = try #require(try request.fetchOne(db))
            let decoded = try JSONDecoder().decode(FTS5MarkedText.self, from: JSONEncoder().encode(marked))
            #expect(decoded == marked)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(FTS5MarkedText.self, from: JSONEncoder().encode(Data([1])))
            }
        }
    }
}
