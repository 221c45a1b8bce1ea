import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// A cursor over the rows of a statement is one run of the statement, from its start to its end.
struct DatabaseCursorTests {
    private let threeRows = "SELECT column1 AS a FROM (VALUES (1), (2), (3))"
    private let failingThirdRow = "SELECT abs(column1) AS a FROM (VALUES (1), (2), (-9223372036854775808), (4))"

    @Test func whatACursorTells() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(literal: "SELECT 1 AS one, \(2) AS two")
            let rows = try Row.fetchCursor(statement)
            #expect(rows.sql == "SELECT 1 AS one, ? AS two")
            #expect(rows.arguments == [2])
            #expect(rows.columnNames == ["one", "two"])
            #expect(rows.columnCount == 2)
            #expect(rows.databaseRegion.isEmpty)
            #expect(rows.databaseRegion.description == "empty")
            let values = try Int.fetchCursor(db, sql: "SELECT 1")
            #expect(values.sql == "SELECT 1" && values.arguments == [] && values.columnNames == ["1"])
            _ = try values.next()
            _ = try rows.next()
        }
    }

    @Test func aCursorOverAStatementAlone() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT 'O''Brien' AS name, 1 AS one")
            let rows = try statement.makeCursor()
            #expect(rows.sql == "SELECT 'O''Brien' AS name, 1 AS one")
            #expect(rows.arguments == [] && rows.databaseRegion.description == "empty")
            #expect(rows.columnNames == ["name", "one"] && rows.columnCount == 2)
            #expect(try rows.next() != nil)
            for _ in 1...2 { #expect(try rows.next() == nil) }

            var count = 0
            try db.makeStatement(sql: "SELECT * FROM (VALUES (1), (2), (3)) WHERE column1 > ?")
                .makeCursor(arguments: [1]).forEach { count += 1 }
            #expect(count == 2)

            let failing = try db.makeStatement(sql: failingThirdRow).makeCursor()
            #expect(try failing.next() != nil && failing.next() != nil)
            for _ in 1...2 {
                expectError(.SQLITE_ERROR, "integer overflow", sql: failingThirdRow) { _ = try failing.next() }
            }
            expectError(.SQLITE_MISUSE, "wrong number of statement arguments: 1", sql: statement.sql) {
                _ = try statement.makeCursor(arguments: [1])
            }
        }
    }

    @Test func theEndIsTheEnd() throws {
        try DatabaseKind.memory.run { db in
            let cursor = try Int.fetchCursor(db, sql: threeRows)
            #expect(try [cursor.next(), cursor.next(), cursor.next()] == [1, 2, 3])
            for _ in 1...3 { #expect(try cursor.next() == nil) }
            try cursor.forEach { _ in Issue.record("no element is left") }
        }
    }

    @Test func anErrorComesWithItsElementAndStays() throws {
        try DatabaseKind.memory.run { db in
            let values = try Int.fetchCursor(db, sql: failingThirdRow)
            let names = try Row.fetchCursor(db, sql: failingThirdRow)
            #expect(try values.next() == 1)
            #expect(try values.next() == 2)
            #expect(try names.next()?["a"] as Int? == 1)
            #expect(try names.next()?["a"] as Int? == 2)
            for _ in 1...3 {
                expectError(.SQLITE_ERROR, "integer overflow", sql: failingThirdRow) { _ = try values.next() }
                expectError(.SQLITE_ERROR, "integer overflow", sql: failingThirdRow) { _ = try names.next() }
            }
            expectError(.SQLITE_ERROR, "integer overflow", sql: failingThirdRow) { try values.forEach { _ in } }
            #expect(try Int.fetchAll(db, sql: threeRows) == [1, 2, 3])
        }
    }

    @Test func anErrorDoesNotComeBeforeItsElement() throws {
        try DatabaseKind.memory.run { (db) throws in
            #expect(try Array(Int.fetchCursor(db, sql: failingThirdRow).prefix(2)) == [1, 2])
            expectError(.SQLITE_ERROR, "integer overflow", sql: failingThirdRow) {
                _ = try Array(Int.fetchCursor(db, sql: failingThirdRow).prefix(3))
            }
        }
    }

    @Test func errorsOfWritingStatementsStay() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let sql = "INSERT INTO team VALUES (3, 'x'), (1, 'y') RETURNING id"
            let cursor = try Int.fetchCursor(db, sql: sql)
            for _ in 1...2 {
                expectError(.SQLITE_CONSTRAINT, "UNIQUE constraint failed: team.id", sql: sql) { _ = try cursor.next() }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") == 2)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func rowsOfWritingStatements(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let inserted = try Int.fetchAll(db, sql: "INSERT INTO team VALUES (3, 'x'), (4, 'y') RETURNING id")
            #expect(inserted == [3, 4])
            // One row is read, and both are deleted: SQLite changes all rows before it returns the first one.
            #expect(try Int.fetchOne(db, sql: "DELETE FROM team WHERE id > 2 RETURNING id") == 3)
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM team") == [1, 2])
            #expect(!db.isInsideTransaction)
        }
    }

    // MARK: One access

    private func isOutside(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.message?.hasPrefix("Database was not used on the correct thread.") == true
            && ResultCode.SQLITE_MISUSE ~= error
    }

    private func isOfEarlierAccess(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.message?.hasPrefix("The database access in which this cursor has begun has ended.")
            == true
            && ResultCode.SQLITE_MISUSE ~= error
    }

    /// A statement that was reset at the end of an access can be run again, and its new cursor works.
    @Test(arguments: DatabaseKind.allCases)
    func aStatementIsUsedInLaterAccesses(_ kind: DatabaseKind) throws {
        try kind.open { writer in
            let statement = try writer.writeWithoutTransaction { try $0.makeStatement(sql: threeRows) }
            var first: FastDatabaseValueCursor<Int>?
            try writer.writeWithoutTransaction { (_) throws in
                first = try Int.fetchCursor(statement)
                #expect(try first?.next() == 1)
            }
            try writer.writeWithoutTransaction { (_) throws in
                let second = try Int.fetchCursor(statement)
                #expect(try second.next() == 1)
                #expect(performing: { _ = try first?.next() }, throws: { isMisuse($0) })
                first = nil
                #expect(try [second.next(), second.next(), second.next()] == [2, 3, nil])
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aCursorIsNotUsedAfterItsAccess(_ kind: DatabaseKind) throws {
        try kind.open { writer in
            var values: FastDatabaseValueCursor<Int>?
            var rows: RowCursor?
            var names: DatabaseValueCursor<Name>?
            try writer.writeWithoutTransaction { db in
                values = try Int.fetchCursor(db, sql: threeRows)
                rows = try Row.fetchCursor(db, sql: threeRows)
                names = try Name.fetchCursor(db, sql: "SELECT 'a' UNION ALL SELECT 'b'")
                #expect(try values?.next() == 1)
                #expect(try rows?.next()?["a"] as Int? == 1)
                #expect(try names?.next() == "a")
            }
            let uses: [() throws -> Void] = [
                { _ = try values?.next() }, { _ = try rows?.next() }, { _ = try names?.next() },
                { try values?.forEach { _ in } },
            ]
            for use in uses + uses { #expect(performing: use, throws: { isOutside($0) }) }
            // The statements were reset at the end of the access, so a later access can't continue.
            for _ in 1...2 {
                try writer.writeWithoutTransaction { db throws in
                    for use in uses { #expect(performing: use, throws: { isOfEarlierAccess($0) }) }
                    // Other cursors aren't affected.
                    #expect(try Int.fetchCursor(db, sql: threeRows).next() == 1)
                    #expect(try Int.fetchAll(db, sql: threeRows) == [1, 2, 3])
                }
            }
            try writer.writeWithoutTransaction { (_) throws in
                values = nil
                rows = nil
                names = nil
            }
        }
    }

    // MARK: One statement, one cursor

    private func isMisuse(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.message?.hasPrefix("The statement of this cursor was run again.") == true
            && ResultCode.SQLITE_MISUSE ~= error
    }

    @Test func aStatementThatIsRunAgainEndsItsCursor() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: threeRows)
            let reruns: [(String, () throws -> Void)] = [
                ("execute", { try statement.execute() }),
                ("fetchAll", { _ = try Row.fetchAll(statement) }),
                ("fetchOne", { _ = try Int.fetchOne(statement) }),
                ("fetchCursor", { _ = try Row.fetchCursor(statement) }),
                ("setArguments", { try statement.setArguments([]) }),
            ]
            for (name, rerun) in reruns {
                let rows = try Row.fetchCursor(statement)
                let values = { try rows.next()?["a"] as Int? }
                #expect(try values() == 1)
                try rerun()
                #expect("\(name)") { _ = try rows.next() } throws: { isMisuse($0) }
                #expect("\(name)") { _ = try rows.next() } throws: { isMisuse($0) }
            }
            #expect(try Int.fetchAll(statement) == [1, 2, 3])
        }
    }

    @Test func theOlderOfTwoCursorsDoesNotDisturbTheNewer() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: threeRows)
            var older: FastDatabaseValueCursor<Int>? = try Int.fetchCursor(statement)
            #expect(try older?.next() == 1)
            let newer = try Int.fetchCursor(statement)
            #expect(try newer.next() == 1)
            #expect { try older?.next() } throws: { isMisuse($0) }
            older = nil
            #expect(try newer.next() == 2)
            #expect(try newer.next() == 3)
            #expect(try newer.next() == nil)
        }
    }

    @Test func aCursorThatHasEndedStaysEnded() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: "SELECT 1")
            let cursor = try Int.fetchCursor(statement)
            #expect(try Array(cursor) == [1])
            try statement.execute()
            #expect(try cursor.next() == nil)
        }
    }

    @Test func refusedArgumentsLeaveTheCursorAlone() throws {
        try DatabaseKind.memory.run { db in
            let statement = try db.makeStatement(sql: threeRows)
            let cursor = try Int.fetchCursor(statement)
            #expect(try cursor.next() == 1)
            #expect(throws: DatabaseError.self) { try statement.setArguments([1]) }
            #expect(try cursor.next() == 2)
        }
    }

    @Test func aReleasedCursorHoldsNoLock() throws {
        try DatabaseKind.file.run { db in
            try db.createTeams()
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            func read() throws {
                let rows = try Row.fetchCursor(statement)
                _ = try rows.next()
                #expect(sqlite3_stmt_busy(statement.sqliteStatement) != 0)
            }
            try read()
            #expect(sqlite3_stmt_busy(statement.sqliteStatement) == 0)
        }
    }

    @Test func severalStatementsOfOneSQL() throws {
        try DatabaseKind.memory.run { db in
            let first = try Int.fetchCursor(db, sql: threeRows)
            let second = try Int.fetchCursor(db, sql: threeRows)
            var pairs: [[Int]] = []
            while let one = try first.next(), let two = try second.next() { pairs.append([one, two]) }
            #expect(pairs == [[1, 1], [2, 2], [3, 3]])
        }
    }

    // MARK: Changes during use

    @Test func writingWhileReading() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let ids = try Int.fetchCursor(db, sql: "SELECT id FROM player ORDER BY id")
            var seen: [Int] = []
            while let id = try ids.next() {
                seen.append(id)
                try db.execute(sql: "UPDATE player SET score = ? WHERE id = ?", arguments: [id * 100, id])
            }
            #expect(seen == [1, 2, 3])
            #expect(try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY id") == [100, 200, 300])
        }
    }

    @Test func aDroppedTableUnderACursor() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            _ = try rows.next()
            expectError(.SQLITE_LOCKED, "database table is locked", sql: "DROP TABLE player") {
                try db.execute(sql: "DROP TABLE player")
            }
            #expect(try rows.next()?["name"] as String? == "Bo")
        }
    }

    @Test func aRollbackUnderACursor() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            try db.execute(sql: "BEGIN; INSERT INTO team VALUES (3, 'x')")
            let ids = try Int.fetchCursor(db, sql: "SELECT id FROM team ORDER BY id")
            #expect(try ids.next() == 1)
            try db.execute(sql: "ROLLBACK")
            // SQLite lets reading statements continue after a rollback that doesn't change the schema.
            #expect(try ids.next() == 2)
            #expect(try ids.next() == nil)
        }
    }

    // MARK: All fetching methods

    @Test(arguments: DatabaseKind.allCases)
    func fetchingRows(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let sql = "SELECT id, name FROM player WHERE id < ?"
            let expected: [Row] = [["id": 1, "name": "Anna"], ["id": 2, "name": "Bo"]]
            let statement = try db.makeStatement(sql: sql)
            #expect(try Row.fetchAll(db, sql: sql, arguments: [3]) == expected)
            #expect(try Row.fetchAll(statement, arguments: [3]) == expected)
            #expect(try Row.fetchSet(db, sql: sql, arguments: [3]) == Set(expected))
            #expect(try Row.fetchSet(statement, arguments: [3]) == Set(expected))
            #expect(try Row.fetchOne(db, sql: sql, arguments: [3]) == expected[0])
            #expect(try Row.fetchOne(statement, arguments: [3]) == expected[0])
            #expect(try Array(Row.fetchCursor(db, sql: sql, arguments: [3]).map { $0.copy() }) == expected)
            #expect(try Array(Row.fetchCursor(statement, arguments: [3]).map { $0.copy() }) == expected)
            #expect(try Row.fetchOne(db, sql: sql, arguments: [0]) == nil)
            #expect(try Row.fetchAll(db, sql: sql, arguments: [0]) == [])
        }
    }

    @Test func collectingARowCursorMakesCopies() throws {
        try DatabaseKind.memory.run { db in
            let rows = try Array(Row.fetchCursor(db, sql: threeRows))
            #expect(rows == [["a": 1], ["a": 2], ["a": 3]])
        }
    }

    @Test func collectingARowCursorInASetMakesCopies() throws {
        try DatabaseKind.memory.run { db in
            let set = try Set(Row.fetchCursor(db, sql: threeRows))
            #expect(set == [["a": 1], ["a": 2], ["a": 3]])
        }
    }
}
