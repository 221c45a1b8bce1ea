import Amalgam
import Testing

@Suite("Clauses that are known when a database is there")
struct WhenConnectedTests {
    /// The columns of the table, as the closures look them up.
    @Sendable private static func columns(_ db: Database) throws -> [Column] {
        try db.columns(in: "player").map { Column($0.name) }
    }

    @Test("annotations, groups, conditions on groups, and orders")
    func clauses() throws {
        try expectSQL(
            Player.all().annotatedWhenConnected { db in try Self.columns(db).map { $0.forKey("the_\($0.name)") } },
            """
            SELECT *, "id" AS "the_id", "name" AS "the_name", "score" AS "the_score", "teamId" AS "the_teamId" \
            FROM "player"
            """)
        try expectSQL(
            Player.select(max(score)).groupWhenConnected { db in try [Self.columns(db)[3]] },
            #"SELECT MAX("score") FROM "player" GROUP BY "teamId""#)
        try expectSQL(
            Player.select(max(score)).group(teamId).havingWhenConnected { db in try count(Self.columns(db)[0]) > 1 },
            #"SELECT MAX("score") FROM "player" GROUP BY "teamId" HAVING COUNT("id") > 1"#)
        try expectSQL(
            Player.all().orderWhenConnected { db in try Self.columns(db).dropFirst().map(\.desc) }.reversed(),
            #"SELECT * FROM "player" ORDER BY "name" ASC, "score" ASC, "teamId" ASC"#)
    }

    @Test("replace and add to what was there, as other clauses do")
    func replacement() throws {
        try expectSQL(
            Player.select(id).annotatedWhenConnected { _ in [name] }.group(id).groupWhenConnected { _ in [teamId] }
                .having(count() > 1).havingWhenConnected { _ in max(score) > 2 }.order(id).orderWhenConnected { _ in
                    [name]
                },
            """
            SELECT "id", "name" FROM "player" GROUP BY "teamId" HAVING (COUNT(*) > 1) AND (MAX("score") > 2) \
            ORDER BY "name"
            """)
    }

    @Test("throw what the closures throw")
    func errors() throws {
        struct Failure: Error {}
        try withLeague { db in
            let requests = [
                Player.all().annotatedWhenConnected { _ in throw Failure() },
                Player.all().groupWhenConnected { _ in throw Failure() },
                Player.all().havingWhenConnected { _ in throw Failure() },
                Player.all().orderWhenConnected { _ in throw Failure() },
            ]
            for request in requests { #expect(throws: Failure.self) { _ = try Row.fetchAll(db, request) } }
        }
    }
}
