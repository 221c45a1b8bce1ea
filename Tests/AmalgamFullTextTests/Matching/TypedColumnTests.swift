import Amalgam
import TestSupport
import Testing

/// Full-text tables whose columns have types.
struct TypedColumnTests {
    struct Page: TableRecord {
        static let databaseTableName = "document"

        enum Columns {
            static let title = TypedColumn<String>("title")
            static let body = TypedColumn<String>("body")
        }
    }

    private func withPages(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.column("title")
                t.column("body")
            }
            try db.execute(
                sql: """
                    INSERT INTO document VALUES ('Moby Dick', 'the white whale'), ('Whales', 'by Moby');
                    """)
            try test(db)
        }
    }

    @Test func columnsMatch() throws {
        try withPages { db in
            let pattern = try FTS5Pattern(rawPattern: "moby")
            try expectQuery(db, Page.filter { $0.title.match(pattern) }.select(\.body)) {
                #"SELECT "body" FROM "document" WHERE "title" MATCH 'moby'"#
            } rows: {
                "the white whale"
            }
            let legacy = try FTS3Pattern(rawPattern: "moby")
            try expectEqual(
                Page.filter { $0.body.match(legacy) }.select(\.title, as: String.self).fetchAll(db), ["Whales"])
            let none: FTS3Pattern? = nil
            try expectEqual(Page.filter { $0.title.match(none) }.fetchCount(db), 0)
        }
    }

    @Test func queriesAreRestrictedToColumns() throws {
        try withPages { db in
            let inTitle = FTS5Query("moby").inColumns(Page.Columns.title)
            let notInTitle = FTS5Query("moby").notInColumns(Page.Columns.title, Column("unknown"))
            try expectEqual(Page.matching(inTitle).select(\.title, as: String.self).fetchAll(db), ["Moby Dick"])
            #expect(notInTitle.description == "- {title unknown} : moby")
        }
    }

    @Test func functionsOfColumns() throws {
        try withPages { db in
            let request = Page.matching("whale").select {
                [
                    FTS5.highlight($0.body, from: "<", to: ">"),
                    FTS5.snippet($0.body, from: "<", to: ">", tokenCount: 2),
                    FTS5.markedText($0.body).forKey("marked"),
                    FTS5.markedSnippet($0.body).forKey("snippet"),
                    FTS5.locale(of: $0.body),
                ]
            }
            let row = try #require(try Row.fetchOne(db, request))
            #expect(row[0] == "the white <whale>")
            #expect(row[1] == "…white <whale>")
            let marked: FTS5MarkedText = try row.decode(forColumn: "marked")
            #expect(marked.text == "the white whale")
        }
    }

    @Test func rankingByColumns() throws {
        try withPages { db in
            let request = Page.matching("moby")
                .ranked(by: [.attribute([Page.Columns.body, Page.Columns.title])])
                .select(\.title, as: String.self)
            try expectEqual(request.fetchAll(db), ["Whales", "Moby Dick"])
        }
    }

    @Test func facets() throws {
        try withPages { db in
            let titles = try Page.matching("moby").facet(by: Page.Columns.title, as: String.self).fetchAll(db)
            #expect(titles.map(\.value) == ["Moby Dick", "Whales"])
            let facet = Facet(Page.Columns.title).choosing("Whales")
            #expect(facet.name == "title")
            try expectEqual(Page.matching("moby").filtered(by: [facet]).fetchCount(db), 1)
        }
    }
}
