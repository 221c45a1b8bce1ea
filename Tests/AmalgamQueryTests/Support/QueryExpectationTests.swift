import Amalgam
import TestSupport
import Testing

/// The comparisons of `expectQuery`, and the messages of its failures.
struct QueryExpectationTests {
    private func withPlayer(_ test: (Database, SQLRequest<Row>) throws -> Void) throws {
        try withLeague { db in try test(db, "SELECT id, name FROM player WHERE id = \(1)") }
    }

    @Test func sqlAndRowsThatAreExpected() throws {
        try withPlayer { db, request in
            try expectQuery(db, request) {
                "SELECT id, name FROM player WHERE id = 1"
            } rows: {
                "1|Anna"
            }
        }
    }

    @Test(
        "other SQL, other rows, or both, are one issue that prints what is there",
        arguments: [
            ("SELECT id, name FROM player WHERE id = 2", "1|Anna", "SQL"),
            ("SELECT id, name FROM player WHERE id = 1", "1|Bob", "rows"),
            ("SELECT id, name FROM player WHERE id = 1", "1|Anna\n2|Bob", "rows"),
            ("SELECT id, name FROM player WHERE id = 1", "", "rows"),
            ("", "", "SQL and rows"),
        ])
    func differences(sql: String, rows: String, difference: String) throws {
        let text = """
            Other \(difference):
            {
                \"""
                SELECT id, name FROM player WHERE id = 1
                \"""
            } rows: {
                \"""
                1|Anna
                \"""
            }
            """
        try withPlayer { db, request in
            let issues = CallCounter()
            try withKnownIssue {
                try expectQuery(db, request) {
                    sql
                } rows: {
                    rows
                }
            } matching: { issue in
                issues.increment()
                return issue.comments.map(\.rawValue) == [text] && issue.sourceLocation?.fileID == #fileID
            }
            #expect(issues.value == 1)
        }
    }

    @Test func printedTextsCanBePasted() throws {
        try withLeague { db in
            try withKnownIssue {
                try expectQuery(db, SQLRequest<Row>(sql: #"SELECT '\' WHERE 0"#)) {
                    ""
                } rows: {
                    "1"
                }
            } matching: { issue in
                issue.comments.first?.rawValue == ##"""
                    Other SQL and rows:
                    {
                        #"""
                        SELECT '\' WHERE 0
                        """#
                    } rows: {
                        ""
                    }
                    """##
            }
        }
    }

    @Test func errorsOfSQLiteAreThrown() {
        #expect(throws: DatabaseError.self) {
            try expectQuery(SQLRequest<Row>(sql: "SELECT missing")) {
                "SELECT missing"
            } rows: {
                ""
            }
        }
    }

    @Test func kindsOfValues() throws {
        let request: SQLRequest<Row> = "SELECT NULL, 1, 1.0, -2.5e300, 'Anna', 'two words', x'00ff'"
        try withLeague { db in
            try expectQuery(db, request) {
                "SELECT NULL, 1, 1.0, -2.5e300, 'Anna', 'two words', x'00ff'"
            } rows: {
                "NULL|1|1.0|-2.5e+300|Anna|two words|x'00FF'"
            }
        }
    }

    @Test(
        "strings that look like something else are quoted",
        arguments: ["", "NULL", "1", "-1.5", "a|b", " a", "'a'", "x'00'"])
    func quotedStrings(string: String) throws {
        let literal = string.databaseValue.sqlExpression
        try withLeague { db in
            let sql = try literal.literalSQL(db)
            try expectQuery(db, SQLRequest<Row>("SELECT \(string)")) {
                "SELECT \(sql)"
            } rows: {
                sql
            }
        }
    }

    @Test func rowsOfAssociations() throws {
        let request = Award.including(required: Award.player.including(all: Player.citizenships.orderByPrimaryKey()))
            .filter(keys: [1])
        try expectQuery(request) {
            """
            SELECT "award".*, "player".* FROM "award" JOIN "player" ON "player"."id" = "award"."playerId" \
            WHERE "award"."id" = 1
            SELECT "citizenship".*, "player"."id" AS "grdb_id" FROM "citizenship" \
            JOIN "player" ON ("player"."id" = "citizenship"."playerId") AND ("player"."id" = 1) \
            ORDER BY "citizenship"."playerId", "citizenship"."countryCode"
            """
        } rows: {
            """
            1|1|goal
              player: 1|Anna|100|1
                citizenships: 1|DE|1
                citizenships: 1|FR|1
              citizenships: 1|DE|1
              citizenships: 1|FR|1
            """
        }
    }

    @Test func statementsOfTriggersAreLeftOut() throws {
        try withLeague { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER t AFTER UPDATE ON team BEGIN UPDATE player SET score = 0; END;
                    CREATE VIRTUAL TABLE document USING fts5(body);
                    INSERT INTO document VALUES ('hello');
                    """)
            try expectQuery(db, Table("document").filter(sql: "document MATCH 'hello'")) {
                #"SELECT * FROM "document" WHERE document MATCH 'hello'"#
            } rows: {
                "hello"
            }
            try expectQuery(db, SQLRequest<Row>(sql: "UPDATE team SET color = NULL WHERE id = 1 RETURNING id")) {
                "UPDATE team SET color = NULL WHERE id = 1 RETURNING id"
            } rows: {
                "1"
            }
        }
    }
}
