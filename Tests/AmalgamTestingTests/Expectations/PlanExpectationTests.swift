import Amalgam
import AmalgamTesting
import Testing

struct PlanExpectationTests {
    @Test func aPlanThatUsesTheIndex() throws {
        try makeTeams().read { db in
            try expectPlan(db, Player.filter { $0.name == "Anna" }, usesIndex: "player_on_name")
            try expectPlan(db, sql: "DELETE FROM player WHERE name = ?", usesIndex: "PLAYER_ON_NAME")
            try expectPlan(db.queryPlan(sql: "SELECT name FROM player ORDER BY name"), usesIndex: "player_on_name")
        }
    }

    @Test func aPlanThatScansTheTable() throws {
        try makeTeams().read { db in
            let request = Player.filter { $0.score == 10 }
            let failure = try failure { try expectPlan(db, request, usesIndex: "player_on_name") }
            #expect(
                failure?.message == """
                    The plan doesn't use the index player_on_name:
                    QUERY PLAN
                    `--SCAN player
                    """)
        }
    }

    @Test func anIndexThatDoesNotExist() throws {
        try makeTeams().read { db in
            let failure = try failure {
                try expectPlan(db, sql: "SELECT * FROM player", usesIndex: "player_on_score")
            }
            #expect(failure?.message.hasPrefix("There is no index player_on_score. The plan is:\nQUERY PLAN") == true)
        }
    }

    @Test func aStatementThatDoesNotCompile() throws {
        try makeTeams().read { db in
            let sql = "SELECT * FROM missing"
            #expect(throws: DatabaseError.self) { try expectPlan(db, sql: sql, usesIndex: "a") }
        }
    }
}
