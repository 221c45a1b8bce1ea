import Amalgam
import AmalgamConcurrency
import AmalgamCore
import TestSupport
import Testing

/// A misspelt name of a table or column is an error, if the application wants that.
@Suite struct AuditNameTests {
    @Test func tablesAndColumnsThatDoNotExist() throws {
        try Store.memory.open { writer in
            try writer.write { db in try db.createTeams() }
            let error = expectCode(.SQLITE_ERROR) { try writer.audit("teem", requiringTables: true) }
            #expect(
                error?.message
                    == "the table teem, which is to be audited, doesn't exist: check its name, or create it first")
            let column = expectCode(.SQLITE_ERROR) {
                try writer.audit(.table("team", redacting: ["nam"]), requiringTables: true)
            }
            #expect(column?.message == "the table team, which is to be audited, has no column nam")
            expectCode(.SQLITE_ERROR) { try writer.audit(.table("team", columns: ["x"]), requiringTables: true) }
            expectCode(.SQLITE_ERROR) { try writer.audit(.table("team", except: ["x"]), requiringTables: true) }
            try writer.audit("TEAM", .everyTable, .table("player", except: ["SCORE"]), requiringTables: true)
            try writer.audit("teem")
        }
    }

    @Test func configurations() throws {
        var configuration = Configuration()
        configuration.audit("player", requiringTables: true)
        expectCode(.SQLITE_ERROR) { try DatabaseQueue(configuration: configuration) }
    }
}
