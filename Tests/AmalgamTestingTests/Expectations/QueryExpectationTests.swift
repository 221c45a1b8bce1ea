import Amalgam
import AmalgamTesting
import Testing

struct QueryExpectationTests {
    @Test func theSQLAndTheRowsOfARequest() throws {
        try makeTeams().read { db in
            try expectQuery(db, Player.filter { $0.score > 10 }) {
                #"SELECT * FROM "player" WHERE "score" > 10"#
            } rows: {
                "2|Bo|20|1"
            }
            try expectQuery(db, Team.including(all: Team.players).order(\.id)) {
                """
                SELECT * FROM "team" ORDER BY "id"
                SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
                """
            } rows: {
                """
                1|Reds
                  players: 1|Anna|10|1|1
                  players: 2|Bo|20|1|1
                  players: 3|Cleo|NULL|1|1
                2|Blues
                  players:
                """
            }
        }
    }

    @Test func theSQLAlone() throws {
        try makeTeams().read { db in
            try expectQuery(db, Player.all()) { #"SELECT * FROM "player""# }
            let failure = try failure { try expectQuery(db, Player.all()) { "SELECT 1" } }
            let lines = ["Other SQL:", "{", "    \"\"\"", #"    SELECT * FROM "player""#, "    \"\"\"", "}"]
            #expect(failure?.message == lines.joined(separator: "\n"))
        }
    }

    @Test func aFailureIsReadyToBePasted() throws {
        try makeTeams().read { db in
            let request = SQLRequest<Row>(sql: "SELECT '1', 1, 1.5, x'00FF', NULL, 'a|b'")
            let failure = try failure {
                try expectQuery(db, request) {
                    "SELECT '1', 1, 1.5, x'00FF', NULL, 'a|b'"
                } rows: {
                    ""
                }
            }
            #expect(failure?.message.hasPrefix("Other rows:\n{\n") == true)
            #expect(failure?.message.contains("\n    '1'|1|1.5|x'00FF'|NULL|'a|b'\n") == true)
        }
    }

    @Test func theTraceOfTheApplicationContinues() throws {
        try makeTeams().read { db in
            var traced: [String] = []
            db.trace { traced.append("\($0)") }
            try expectQuery(db, Player.filter(key: 1)) { #"SELECT * FROM "player" WHERE "id" = 1"# }
            #expect(traced == [#"SELECT * FROM "player" WHERE "id" = ?"#])
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            #expect(traced.last == "SELECT 1")
        }
    }

    @Test func theErrorOfARequestIsThrown() throws {
        try makeTeams().read { db in
            let request = SQLRequest<Row>(sql: "SELECT * FROM missing")
            #expect(throws: DatabaseError.self) { try expectQuery(db, request) { "" } }
        }
    }
}
