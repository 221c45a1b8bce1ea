import Amalgam
import AmalgamCore
import Testing

/// Tables, columns and requests in SQL literals.
struct InterpolationTests {
    private func expect(
        _ literal: SQL, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withLeague { db in
            let actual = try literal.literalSQL(db)
            #expect(actual == sql, sourceLocation: sourceLocation)
        }
    }

    @Test func tables() throws {
        let player = Player(id: 1)
        let anyRecord: any TableRecord = player
        let anyType: any TableRecord.Type = Team.self
        try expect("SELECT * FROM \(Player.self), \(anyType)", #"SELECT * FROM "player", "team""#)
        try expect("SELECT * FROM \(tableOf: player), \(tableOf: anyRecord)", #"SELECT * FROM "player", "player""#)
        try expect("SELECT * FROM \(Table<Row>("pla\"yer"))", #"SELECT * FROM "pla""yer""#)
    }

    @Test func columns() throws {
        struct Named: TableRecord {
            static let databaseTableName = "player"
            static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
        }
        try expect(
            "SELECT \(columnsOf: Player.self), \(columnsOf: Team.self, tableAlias: "t")",
            #"SELECT "player".*, "t".*"#)
        try expect(
            "SELECT \(columnsOf: Named.self), \(columnsOf: Named.self, tableAlias: "n")",
            #"SELECT "player"."id", "player"."name", "n"."id", "n"."name""#)
        try expect("SELECT \(.allColumns), \(Column.rowID), \(score)", #"SELECT *, "rowid", "score""#)
        try expect("SELECT \(.rowID), \(.allColumns) WHERE \(.rowID) > \(1)", #"SELECT "rowid", * WHERE "rowid" > 1"#)
    }

    @Test func codingKeys() throws {
        enum Keys: String, CodingKey { case name, score = "points" }
        enum Columns: String, CodingKey, ColumnExpression { case name }
        let anyKey: any CodingKey = Keys.score
        try expect("SELECT \(Keys.name), \(Keys.score), \(anyKey)", #"SELECT "name", "points", "points""#)
        try expect("SELECT \(Columns.name)", #"SELECT "name""#)
    }

    @Test func expressions() throws {
        try expect("SELECT \(score > 10 && name == "Anna")", #"SELECT ("score" > 10) AND ("name" = 'Anna')"#)
        try expect("ORDER BY \(name.collating(.nocase).desc)", #"ORDER BY "name" COLLATE NOCASE DESC"#)
        try expect("name COLLATE \(.nocase)", "name COLLATE NOCASE")
        try expect("id IN \([score + 0, id + 1])", #"id IN ("score" + 0,"id" + 1)"#)
        let alias = TableAlias<Player>(name: "p")
        try expectSQL(
            Player.all().aliased(alias).filter(literal: "\(alias.score) + \(score) > \(1)"),
            #"SELECT "p".* FROM "player" "p" WHERE "p"."score" + "p"."score" > 1"#)
    }

    @Test func requests() throws {
        let best = Player.filter { $0.score > 10 }.select(id)
        try expect(
            "SELECT COUNT(*) FROM (\(best))",
            #"SELECT COUNT(*) FROM (SELECT "id" FROM "player" WHERE "score" > 10)"#)
        try expect("\(best > 0)", #"(SELECT "id" FROM "player" WHERE "score" > 10) > 0"#)
        try expect("\(best.contains(0))", #"0 IN (SELECT "id" FROM "player" WHERE "score" > 10)"#)
        let request: SQLRequest<Int> = "\(best) UNION SELECT \(0)"
        try expectSQL(request, #"SELECT "id" FROM "player" WHERE "score" > 10 UNION SELECT 0"#)
    }
}
