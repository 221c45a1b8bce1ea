import Amalgam
import AmalgamCore
import Testing

/// Row values, which compare several values at once.
struct RowValueTests {
    private let row = SQLRowValue(teamId, name)

    @Test func comparisons() throws {
        try expectExpression(row == SQLRowValue(1, "Bob"), #"("teamId", "name") = (1, 'Bob')"#)
        try expectExpression(row != SQLRowValue(1, "Bob"), #"("teamId", "name") <> (1, 'Bob')"#)
        try expectExpression(!(row == SQLRowValue(1, "Bob")), #"("teamId", "name") <> (1, 'Bob')"#)
        try expectExpression(row >= SQLRowValue(1, "B"), #"("teamId", "name") >= (1, 'B')"#)
        try expectExpression(SQLRowValue(1, score + 1) < row, #"(1, "score" + 1) < ("teamId", "name")"#)
        try expectValues(row >= SQLRowValue(1, "B"), [0, 1, 1, nil])
        try expectValues(row == SQLRowValue(1, "Bob"), [0, 1, 0, 0])
    }

    @Test func lists() throws {
        let rows = [SQLRowValue(1, "Anna"), SQLRowValue(2, "Cleo")]
        try expectExpression(rows.contains(row), #"("teamId", "name") IN (VALUES (1, 'Anna'), (2, 'Cleo'))"#)
        try expectExpression(!rows.contains(row), #"("teamId", "name") NOT IN (VALUES (1, 'Anna'), (2, 'Cleo'))"#)
        try expectExpression(rows.dropLast().contains(row), #"("teamId", "name") = (1, 'Anna')"#)
        try expectValues(rows.contains(row), [1, 0, 1, 0])
    }

    @Test func requests() throws {
        let best = Player.select(teamId, name).filter(score > 50)
        try expectExpression(
            best.contains(row),
            #"("teamId", "name") IN (SELECT "teamId", "name" FROM "player" WHERE "score" > 50)"#)
        try expectValues(best.contains(row), [1, 0, 0, 0])
    }

    @Test func oneValueIsThisValue() throws {
        try expectExpression(SQLRowValue(score) == 1, #""score" = 1"#)
        try expectExpression(SQLRowValue([score + 1]) == 1, #"("score" + 1) = 1"#)
    }

    @Test func noValueIsAnError() throws {
        try withLeague { db in
            expectError(.SQLITE_MISUSE, "a row value needs a value at least") {
                _ = try Player.filter(SQLRowValue([]) == SQLRowValue([])).fetchCount(db)
            }
            let error = #expect(throws: DatabaseError.self) {
                _ = try Player.filter(SQLRowValue(id, name) == SQLRowValue(1, 2, 3)).fetchCount(db)
            }
            #expect(error?.message == "row value misused")
        }
    }
}
