import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Traced events that outlive the call of the closure, and their statement.
struct TraceLifetimeTests {
    private static let sql = "SELECT 'a text that is not small', ?"

    /// An event that outlives its statement describes the statement, or has an empty description.
    @Test func eventsThatOutliveTheirStatements() throws {
        try DatabaseKind.memory.run { db in
            var events: [Database.TraceEvent] = []
            db.trace(options: [.statement, .profile]) { events.append($0) }
            for number in 1...20 {
                let statement = try db.makeStatement(sql: Self.sql)
                _ = try Row.fetchAll(statement, arguments: [number])
            }
            db.trace()
            for _ in 1...100 { _ = try db.makeStatement(sql: "SELECT 'another text that takes memory'") }
            #expect(events.count == 40)
            for event in events {
                let (text, expandedText) = (event.description, event.expandedDescription)
                #expect(text.hasSuffix(Self.sql) || !text.contains("SELECT"))
                #expect(
                    expandedText.contains("SELECT 'a text that is not small', ") || !expandedText.contains("SELECT"))
            }
        }
    }

    @Test func tracedRowsThatOutliveTheirStatements() throws {
        try DatabaseKind.memory.run { db in
            var statements: [Database.TraceEvent.Statement] = []
            db.traceRows { statements.append($0) }
            for number in 1...20 {
                let statement = try db.makeStatement(sql: Self.sql)
                _ = try Row.fetchAll(statement, arguments: [number])
            }
            db.traceRows(nil)
            for _ in 1...100 { _ = try db.makeStatement(sql: "SELECT 'another text that takes memory'") }
            #expect(statements.count == 20)
            for statement in statements {
                #expect([Self.sql, ""].contains(statement.sql))
                #expect(
                    statement.expandedSQL.hasPrefix("SELECT 'a text that is not small', ")
                        || statement.expandedSQL.isEmpty)
            }
        }
    }
}
