import Amalgam
@testable import AmalgamCore
import CAmalgam
import TestSupport
import Testing

struct TraceRowsTests {
    @Test func rows() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            var sql: [String] = []
            db.traceRows { sql.append($0.expandedSQL) }
            _ = try String.fetchAll(db, sql: "SELECT name FROM player WHERE id > ?", arguments: [1])
            #expect(sql == Array(repeating: "SELECT name FROM player WHERE id > 1", count: 2))
            db.traceRows(nil)
            _ = try db.playerNames
            #expect(sql.count == 2)
        }
    }

    @Test func rowsBesideStatements() throws {
        try DatabaseKind.memory.run { db in
            var lines: [String] = []
            db.traceRows { lines.append("row \($0)") }
            db.trace(options: [.statement, .profile]) { event in
                switch event {
                case .statement(let statement): lines.append("begin \(statement)")
                case .profile(let statement, _): lines.append("end \(statement)")
                }
            }
            try db.execute(sql: "SELECT 1")
            #expect(lines == ["begin SELECT 1", "row SELECT 1", "end SELECT 1"])
            lines = []
            db.trace()
            try db.execute(sql: "SELECT 1")
            #expect(lines == ["row SELECT 1"])
            db.traceRows(nil)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func closing(_ kind: DatabaseKind) throws {
        let lines = Lines()
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.traceClose { lines.append("close") } }
        try kind.open(configuration) { _ in #expect(lines.take() == []) }
        #expect(lines.take() == ["close"])
    }

    @Test func closingByRelease() throws {
        let lines = Lines()
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.traceClose { lines.append("close") } }
        do { _ = try DatabaseQueue(configuration: configuration) }
        #expect(lines.take() == ["close"])
        do {
            let queue = try DatabaseQueue(configuration: configuration)
            queue.inDatabase { db in db.traceClose(nil) }
        }
        #expect(lines.take() == [])
    }

    /// A function that runs SQL while a statement runs.
    @Test func statementsInsideOfStatements() throws {
        final class Box { weak var db: Database? }
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let box = Box()
            box.db = db
            sqlite3_create_function_v2(
                db.sqliteConnection, "countTeams", 0, SQLITE_UTF8, Unmanaged.passUnretained(box).toOpaque(),
                { context, _, _ in
                    let box = Unmanaged<Box>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
                    let count = box.db.flatMap { try? Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") }
                    sqlite3_result_int(context, CInt(count ?? -1))
                }, nil, nil, nil)
            var lines: [String] = []
            db.trace(options: [.statement, .profile]) { event in
                if case .profile(let statement, _) = event {
                    lines.append("end \(statement.sql)")
                } else {
                    lines.append("\(event)")
                }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT countTeams()") == 2)
            try db.execute(sql: "SELECT 3")
            db.trace()
            #expect(
                lines == [
                    "SELECT countTeams()", "-- SELECT COUNT(*) FROM team", "end SELECT COUNT(*) FROM team",
                    "end SELECT countTeams()", "SELECT 3", "end SELECT 3",
                ])
            withExtendedLifetime(box) {}
        }
    }

    @Test func theConnectionCannotBeUsedByATraceClosure() throws {
        try DatabaseKind.memory.run { db in
            var errors: [DatabaseError] = []
            db.trace { _ in
                do { try db.execute(sql: "SELECT 2") } catch {
                    if let error = error as? DatabaseError { errors.append(error) }
                }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
            db.trace()
            #expect(errors.map(\.resultCode) == [.SQLITE_MISUSE])
            #expect(
                errors.first?.message == "the connection cannot be used here: SQLite is in the middle of a statement")
        }
    }

    @Test func aTraceClosureMayStopTracing() throws {
        try DatabaseKind.memory.run { db in
            var count = 0
            db.trace { _ in
                count += 1
                db.trace()
            }
            try db.execute(sql: "SELECT 1; SELECT 2")
            #expect(count == 1)
        }
    }
}
