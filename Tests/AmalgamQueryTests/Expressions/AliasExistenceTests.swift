import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Whether a joined table has a row.
struct AliasExistenceTests {
    @Test func playersWithoutTeam() throws {
        let team = TableAlias<Team>()
        let players = Player.joining(optional: Player.team.aliased(team))
        let sql = #"SELECT "player".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" WHERE "#
        try expectSQL(players.filter(team.exists), sql + #""team"."id" IS NOT NULL"#)
        try expectQuery(players.filter(!team.exists)) {
            sql + #""team"."id" IS NULL"#
        } rows: {
            "4|Dan|NULL|NULL"
        }
        try expectSQL(
            players.filter(!team.exists || score > 1), sql + #"("team"."id" IS NULL) OR ("player"."score" > 1)"#)
    }

    /// Returns the condition on a single table.
    private func condition(_ table: String, _ schema: String) throws -> String {
        try DatabaseQueue().write { db in
            try db.execute(sql: schema)
            let alias = TableAlias()
            let request = Table<Row>(table).all().aliased(alias).filter(alias.exists)
            let sql = try request.expandedSQL(db)
            _ = try Row.fetchAll(request.makePreparedRequest(db, forSingleResult: false).statement)
            return String(sql.dropFirst("SELECT * FROM \"\(table)\" WHERE ".count))
        }
    }

    @Test func tables() throws {
        try expectEqual(condition("t", "CREATE TABLE t (a TEXT PRIMARY KEY)"), #""rowid" IS NOT NULL"#)
        try expectEqual(condition("t", "CREATE TABLE t (a)"), #""rowid" IS NOT NULL"#)
        try expectEqual(condition("t", "CREATE TABLE t (a PRIMARY KEY, rowid, _ROWID_)"), #""oid" IS NOT NULL"#)
        try expectEqual(condition("t", "CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID"), #""a" IS NOT NULL"#)
        #expect(
            try condition("t", "CREATE TABLE t (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID")
                == #"("a" IS NOT NULL) OR ("b" IS NOT NULL)"#)
        #expect(
            try condition("v", "CREATE VIEW v AS SELECT 1 AS a, 2 AS b") == #"("a" IS NOT NULL) OR ("b" IS NOT NULL)"#)
    }
}
