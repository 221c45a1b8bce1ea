import Amalgam
import TestSupport
import Testing

@Suite("Selections")
struct SelectionTests {
    @Test("an expression made of plain SQL is one column, a selection made of it is any number")
    func literalColumns() throws {
        try withLeague { db in
            let name = SQL("upper(\(Column("name")))")
            let request = Player.select(name.sqlExpression, Column("score")).including(required: Player.team).order(
                \.id)
            let row = try #require(try Row.fetchOne(db, request))
            #expect(row.count == 2)
            #expect(row[0] == "ANNA")
            expectEqual(row.scopes["team"]?["name"], "Reds")
            expectEqual(try Player.select(name.sqlExpression).distinct().fetchCount(db), 4)
            expectError(
                .SQLITE_MISUSE,
                """
                The columns of a selection made of plain SQL cannot be counted. Select expressions instead: \
                SQL("…").sqlExpression.
                """
            ) { _ = try Row.fetchOne(db, Player.select(literal: name).including(required: Player.team)) }
        }
        try expectSQL(
            Player.select(SQL("upper(name)").sqlExpression).distinct(), #"SELECT DISTINCT upper(name) FROM "player""#)
    }

    @Test("columns, expressions, plain SQL; the last selection counts, annotations add up")
    func selections() throws {
        try expectSQL(
            Player.all(),
            #"SELECT * FROM "player""#)
        try expectSQL(
            Player.select { [$0.name, $0.id - 1] },
            #"SELECT "name", "id" - 1 FROM "player""#)
        try expectSQL(
            Player.select(Column("name"), Column("id")),
            #"SELECT "name", "id" FROM "player""#)
        try expectSQL(
            Player.select(\.name),
            #"SELECT "name" FROM "player""#)
        try expectSQL(
            Player.select(sql: "name, id - ?", arguments: [1]),
            #"SELECT name, id - 1 FROM "player""#)
        try expectSQL(
            Player.select(sql: "name, id - :n", arguments: ["n": 1]),
            #"SELECT name, id - 1 FROM "player""#)
        try expectSQL(
            Player.select(literal: "\("x"), id - \(1)"),
            #"SELECT 'x', id - 1 FROM "player""#)
        try expectSQL(
            Player.select(\.score).select(\.name),
            #"SELECT "name" FROM "player""#)
        try expectSQL(
            Player.select { [$0.name.forKey("nom"), ($0.score + 1).forKey("plus")] },
            #"SELECT "name" AS "nom", "score" + 1 AS "plus" FROM "player""#)
        try expectSQL(
            Player.select(.allColumns, .rowID),
            #"SELECT *, "rowid" FROM "player""#)
        try expectSQL(
            Player.select(.allColumns(excluding: ["NAME"])),
            #"SELECT "id", "score", "teamId" FROM "player""#)
        try expectSQL(
            Player.annotated { $0.id - 1 },
            #"SELECT *, "id" - 1 FROM "player""#)
        try expectSQL(
            Player.select(\.name).annotated { [$0.id - 1, $0.id + 1] },
            #"SELECT "name", "id" - 1, "id" + 1 FROM "player""#)
        try expectSQL(
            Player.select(\.name).distinct(),
            #"SELECT DISTINCT "name" FROM "player""#)
        try expectSQL(
            Player.annotated(with: Team.select(max(Column("id")))),
            #"SELECT *, (SELECT MAX("id") FROM "team") FROM "player""#)
        try expectSQL(
            Player.all().selectPrimaryKey(as: Int64.self),
            #"SELECT "id" FROM "player""#)
        try expectSQL(
            Citizenship.selectPrimaryKey(as: Row.self),
            #"SELECT "playerId", "countryCode" FROM "citizenship""#)
        try expectSQL(
            Player.selectID(),
            #"SELECT "id" FROM "player""#)
    }

    @Test("a record chooses what is selected of it")
    func databaseSelection() throws {
        struct Name: TableRecord {
            static var databaseTableName: String { "player" }
            static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
        }
        try expectSQL(
            Name.all(),
            #"SELECT "id", "name" FROM "player""#)
        try expectSQL(
            Name.all().aliased(TableAlias(name: "n")),
            #"SELECT "n"."id", "n"."name" FROM "player" "n""#)
        let count = try withLeague { db in
            (try Name.numberOfSelectedColumns(db), try Player.numberOfSelectedColumns(db))
        }
        #expect(count == (2, 4))
    }

    @Test("values are fetched as another type")
    func fetchingValues() throws {
        try withLeague { db in
            let names = try Player.order(\.id).select({ $0.name }, as: String.self).fetchAll(db)
            #expect(names == ["Anna", "Bob", "Cleo", "Dan"])
            let ids = try Player.selectID().fetchSet(db)
            #expect(ids == [1, 2, 3, 4])
            let maximum = try Int.fetchOne(db, Player.select { max($0.score) })
            #expect(maximum == 100)
            let rows = try Table("team").order(Column("id")).fetchAll(db)
            #expect(rows.map { $0["name"] as String } == ["Reds", "Blues", "Greens"])
            let cursor = try Player.order(\.name.desc).select(\.name, as: String.self).fetchCursor(db)
            let first = try cursor.next()
            #expect(first == "Dan")
        }
    }

    @Test("a selection that depends on the database")
    func whenConnected() throws {
        try expectSQL(
            Player.all().selectWhenConnected { db in
                try db.columns(in: "player").prefix(2).map { Column($0.name) }
            },
            #"SELECT "id", "name" FROM "player""#)
    }

    @Test("nothing to select is an error")
    func anEmptySelection() throws {
        try withLeague { db in
            let error = #expect(throws: DatabaseError.self) { _ = try Player.select([]).fetchAll(db) as [Row] }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }
}
