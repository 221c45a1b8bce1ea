import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import AmalgamSessions
import TestSupport
import Testing

/// Connections that are released without a call of `close`, with all kinds of registered objects.
struct UnclosedConnectionTests {
    /// Objects that are registered on the connection when it is released.
    static var registrations: KeyValuePairs<String, (Database) throws -> Void> {
        [
            "nothing": { _ in },
            "a progress handler": { $0.setProgressHandler { true } },
            "a progress handler that was removed": {
                $0.setProgressHandler { true }
                $0.setProgressHandler(nil)
            },
            "limits that are over": { db in try db.withLimits(.time(.seconds(60))) { try db.execute(sql: "SELECT 1") }
            },
            "a trace": { $0.trace { _ in } },
            "a trace of the end": { $0.traceClose {} },
            "an observer": { $0.add(transactionObserver: EventLog(), extent: .databaseLifetime) },
            "a module": { try $0.add(tableFunction: DatabaseTableFunction("f", columns: ["a"]) { _ in [1, 2] }) },
            "a function": { $0.add(function: DatabaseFunction("f") { (x: Int) in x }) },
            "a transaction": { try $0.execute(sql: "BEGIN; CREATE TABLE t (a)") },
        ]
    }

    @Test(arguments: registrations.map(\.key))
    func nothingIsLeft(_ name: String) throws {
        let register = try #require(Self.registrations.first { $0.key == name }).value
        weak var released: Database?
        do {
            let db = try Database(path: ":memory:", description: name, configuration: Configuration())
            released = db
            try register(db)
            #expect(released != nil)
        }
        #expect(released == nil)
    }

    @Test(arguments: ["session", "blob", "statement", "cursor"])
    func whatOutlivesTheConnection(_ kind: String) throws {
        var survivor: Any?
        do {
            let db = try Database(path: ":memory:", description: kind, configuration: Configuration())
            db.setProgressHandler { true }
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('x'), ('y')")
            switch kind {
            case "session": survivor = try db.makeSession()
            case "blob": survivor = try db.openBlob(table: "t", column: "a", rowID: 1)
            case "statement": survivor = try db.makeStatement(sql: "SELECT * FROM t")
            default:
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                _ = try cursor.next()
                survivor = cursor
            }
        }
        #expect(survivor != nil)
        survivor = nil
    }
}
