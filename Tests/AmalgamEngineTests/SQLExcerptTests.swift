import Amalgam
import AmalgamEngine
import Testing

struct SQLExcerptTests {
    /// Returns the error of SQL that doesn't compile, with the offset of its mistake.
    private func error(_ sql: String) throws -> DatabaseError {
        let queue = try DatabaseQueue()
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
                try db.execute(sql: sql)
            }
        }
        return try #require(error)
    }

    private func excerpt(_ sql: String, _ place: String) -> String {
        let offset = sql.utf8.distance(from: sql.startIndex, to: sql.ranges(of: place)[0].lowerBound)
        return SQLExcerpt(sql, offset: offset).text
    }

    @Test func aCaretPointsAtTheMistake() throws {
        let error = try error("SELECT nme FROM player")
        #expect(error.sqlOffset == 7)
        #expect(
            error.sqlExcerpt == """
                SELECT nme FROM player
                       ^
                """)
        #expect(error.description == "SQLite error 1: no such column: nme - while executing `SELECT nme FROM player`")
        #expect(
            error.debugDescription == """
                SQLite error 1: no such column: nme - while executing `SELECT nme FROM player`
                SELECT nme FROM player
                       ^
                """)
        #expect(String(reflecting: error) == error.debugDescription)
        #expect("\(error)" == error.description)
    }

    @Test func blanksBeforeTheStatementDoNotCount() throws {
        let error = try error("  \n\t SELECT nme FROM player ;  ")
        #expect(error.sql == "SELECT nme FROM player")
        #expect(error.sqlOffset == 7)
    }

    @Test func commentsBeforeTheStatementCount() throws {
        let error = try error("-- the names\nSELECT nme FROM player")
        #expect(error.sql == "-- the names\nSELECT nme FROM player")
        #expect(
            error.sqlExcerpt == """
                SELECT nme FROM player
                       ^
                """)
    }

    @Test func theOffsetCountsFromTheStatementThatFails() throws {
        let error = try error("INSERT INTO player (name) VALUES ('Ännä');\n\nSELECT 'é', nme FROM player; SELECT 1")
        #expect(error.sql == "SELECT 'é', nme FROM player; SELECT 1")
        #expect(error.sqlOffset == 13)
        #expect(
            error.sqlExcerpt == """
                SELECT 'é', nme FROM player; SELECT 1
                            ^
                """)
    }

    @Test func onlyTheLineOfTheMistakeIsShown() throws {
        for newline in ["\n", "\r\n", "\r"] {
            let error = try error("SELECT id,\(newline)       nme\(newline)FROM player")
            #expect(error.sqlExcerpt == "       nme\n       ^")
        }
    }

    @Test func anEndThatComesTooSoon() throws {
        let error = try error("SELECT * FROM player WHERE ")
        #expect(error.message == "incomplete input")
        #expect(error.sqlOffset == nil)
        #expect(error.sqlExcerpt == nil)
        #expect(error.debugDescription == error.description)
    }

    @Test func errorsOfARunHaveNoPlace() throws {
        let error = try error("INSERT INTO player VALUES (1, NULL), (1, NULL)")
        #expect(error.resultCode == .SQLITE_CONSTRAINT)
        #expect(error.sqlOffset == nil)
    }

    @Test func errorsOfTheAppHaveNoPlace() {
        let error = DatabaseError(message: "no", sql: "SELECT 1")
        #expect(error.sqlOffset == nil)
        #expect(error.sqlExcerpt == nil)
    }

    @Test func argumentsStayPrivate() throws {
        let error = try #require(
            #expect(throws: DatabaseError.self) {
                try DatabaseQueue().read { db in try Row.fetchAll(db, sql: "SELECT ? + nme", arguments: ["secret"]) }
            })
        #expect(!error.debugDescription.contains("secret"))
        #expect(error.sqlExcerpt == "SELECT ? + nme\n           ^")
    }

    // MARK: Columns

    @Test func tabsStayTabs() {
        #expect(excerpt("\tSELECT\tnme", "nme") == "\tSELECT\tnme\n\t      \t^")
    }

    @Test func wideCharactersTakeTwoColumns() {
        #expect(excerpt("SELECT '選手', nme", "nme") == "SELECT '選手', nme\n               ^")
        #expect(excerpt("SELECT '🏆', nme", "nme") == "SELECT '🏆', nme\n             ^")
    }

    @Test func combiningCharactersTakeNone() {
        #expect(excerpt("SELECT 'e\u{301}\u{323}', nme", "nme") == "SELECT 'e\u{301}\u{323}', nme\n            ^")
    }

    @Test func aPlaceInsideOfACharacterIsTheCharacter() {
        for offset in 8...10 { #expect(SQLExcerpt("SELECT '選", offset: offset).text == "SELECT '選\n        ^") }
        #expect(SQLExcerpt("e\u{301}x", offset: 2).text == "e\u{301}x\n^")
    }

    @Test func theEndHasAPlace() {
        #expect(SQLExcerpt("SELECT", offset: 6).text == "SELECT\n      ^")
        #expect(SQLExcerpt("SELECT", offset: 600).text == "SELECT\n      ^")
        #expect(SQLExcerpt("", offset: 0).text == "\n^")
        #expect(SQLExcerpt("SELECT\n", offset: 7).text == "\n^")
    }

    @Test func longLinesAreCut() throws {
        let list = (1...200).map { "column\($0)" }.joined(separator: ", ")
        for place in ["column1,", "column100", "column199", "column200"] {
            let lines = excerpt("SELECT \(list) FROM player", place).split(separator: "\n")
            #expect(lines[0].count <= 100)
            let caret = try #require(lines[1].firstIndex(of: "^"))
            let column = lines[1].distance(from: lines[1].startIndex, to: caret)
            #expect(lines[0].dropFirst(column).hasPrefix(place))
        }
        let text = excerpt("SELECT \(list) FROM player", "column100")
        #expect(text.hasPrefix("…"))
        #expect(text.split(separator: "\n")[0].hasSuffix("…"))
    }
}
