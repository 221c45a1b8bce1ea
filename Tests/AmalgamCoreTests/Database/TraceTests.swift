import Amalgam
import Foundation
import TestSupport
import Testing

struct TraceTests {
    private func queue(publicArguments: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.publicStatementArguments = publicArguments
        return try makeQueue("CREATE TABLE t (a)", configuration: configuration)
    }

    private func insert(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO t (a) VALUES (?);", arguments: [1])
    }

    @Test func statements() throws {
        try queue().inDatabase { db in
            var count = 0
            db.trace { event in
                guard case .statement(let statement) = event else {
                    Issue.record("unexpected event: \(event)")
                    return
                }
                count += 1
                #expect(statement.sql == "INSERT INTO t (a) VALUES (?)")
                #expect(statement.expandedSQL == "INSERT INTO t (a) VALUES (1)")
                #expect("\(event)" == "INSERT INTO t (a) VALUES (?)")
                #expect(event.expandedDescription == "INSERT INTO t (a) VALUES (1)")
            }
            try insert(db)
            #expect(count == 1)
        }
    }

    @Test func publicArguments() throws {
        try queue(publicArguments: true).inDatabase { db in
            var descriptions: [String] = []
            db.trace { event in
                descriptions += ["\(event)", event.expandedDescription]
                if case .statement(let statement) = event {
                    descriptions += ["\(statement)", statement.sql]
                }
            }
            try insert(db)
            #expect(
                descriptions == [
                    "INSERT INTO t (a) VALUES (1)", "INSERT INTO t (a) VALUES (1)",
                    "INSERT INTO t (a) VALUES (1)", "INSERT INTO t (a) VALUES (?)",
                ])
        }
    }

    @Test func profiles() throws {
        try queue().inDatabase { db in
            var count = 0
            db.trace(options: .profile) { event in
                guard case .profile(let statement, let duration) = event else {
                    Issue.record("unexpected event: \(event)")
                    return
                }
                count += 1
                #expect((0...10).contains(duration))
                #expect(statement.sql == "INSERT INTO t (a) VALUES (?)")
                #expect("\(event)".wholeMatch(of: /[0-9.]+s INSERT INTO t \(a\) VALUES \(\?\)/) != nil)
                #expect(event.expandedDescription.wholeMatch(of: /[0-9.]+s INSERT INTO t \(a\) VALUES \(1\)/) != nil)
            }
            try insert(db)
            #expect(count == 1)
        }
    }

    @Test func durationsAreInSeconds() throws {
        try queue().inDatabase { db in
            var durations: [TimeInterval] = []
            db.trace(options: .profile) { event in
                if case .profile(_, let duration) = event { durations.append(duration) }
            }
            let rows = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            _ = try rows.next()
            Thread.sleep(forTimeInterval: 0.2)
            while try rows.next() != nil {}
            #expect(durations.count == 1)
            #expect(durations.allSatisfy { (0.15...10).contains($0) })
        }
    }

    @Test func bothKinds() throws {
        try queue().inDatabase { db in
            var kinds: [String] = []
            db.trace(options: [.statement, .profile]) { event in
                switch event {
                case .statement: kinds.append("statement")
                case .profile: kinds.append("profile")
                }
            }
            try insert(db)
            #expect(kinds == ["statement", "profile"])
        }
    }

    @Test func tracingStops() throws {
        try queue().inDatabase { db in
            var sql: [String] = []
            db.trace { sql.append("\($0)") }
            db.trace(options: [])
            try insert(db)
            db.trace { sql.append("\($0)") }
            db.trace(options: []) { sql.append("\($0)") }
            try insert(db)
            db.trace { sql.append("\($0)") }
            db.trace()
            try insert(db)
            #expect(sql == [])
        }
    }

    @Test func theLastClosureReplacesTheOthers() throws {
        try queue().inDatabase { db in
            var first = 0
            var second = 0
            db.trace { _ in first += 1 }
            db.trace { _ in second += 1 }
            try insert(db)
            #expect(first == 0)
            #expect(second == 1)
        }
    }

    @Test func eachStatementIsTracedFromTheBeginning() throws {
        let lines = Lines()
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace { lines.append("\($0)") }
        }
        try DatabaseQueue(configuration: configuration).inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a);
                    INSERT INTO t VALUES (1);
                    SELECT * FROM t;
                    """)
        }
        #expect(lines.take() == ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "SELECT * FROM t"])
    }

    @Test func statementsThatBeginWithAComment() throws {
        try queue().inDatabase { db in
            var expandedSQL: [String] = []
            db.trace { expandedSQL.append($0.expandedDescription) }
            try db.execute(sql: "-- a comment\nINSERT INTO t (a) VALUES (?)", arguments: [1])
            #expect(expandedSQL == ["-- a comment\nINSERT INTO t (a) VALUES (1)"])
        }
    }

    @Test func openingRunsNoSQL() throws {
        let lines = Lines()
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.trace { lines.append("\($0)") } }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        dbQueue.inDatabase { _ in }
        #expect(lines.take() == [])
    }

    @Test func triggersAreShownAsComments() throws {
        try queue().inDatabase { db in
            try db.execute(sql: "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 0; END")
            let sql = try db.tracedSQL { try db.execute(sql: "INSERT INTO t VALUES (1)") }
            #expect(sql.first == "INSERT INTO t VALUES (1)")
            #expect(sql.dropFirst().first == "-- TRIGGER tr")
        }
    }

    @Test func tracingKeepsTheClosureNoLongerThanNeeded() throws {
        try queue().inDatabase { db in
            weak var weakLog: EventLog?
            do {
                let log = EventLog()
                weakLog = log
                db.trace { _ in _ = log }
            }
            #expect(weakLog != nil)
            db.trace()
            #expect(weakLog == nil)
        }
    }
}
