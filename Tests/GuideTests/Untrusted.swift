import Amalgam
import Foundation
import Testing

@Suite("Guide: Untrusted SQL and files")
struct Untrusted {
    @Test("A file of a stranger")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("download.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        // guide: file
        var config = Configuration()
        config.readonly = true
        config.harden()  // no code in the schema runs functions of yours, and pages are checked
        let download = try DatabaseQueue(path: path, configuration: config)
        let problems = try download.read { db in try db.integrityCheck() }
        // end
        #expect(problems.isEmpty)
    }

    @Test("SQL of a stranger")
    func sql() throws {
        // guide: table
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT)")
        }
        let sql = "SELECT * FROM player"
        // end
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE secret (word TEXT)") }
        // guide: sql
        var sandbox = Sandbox.readOnly(tables: ["player"])
        sandbox.limits.time = .seconds(2)
        sandbox.maximumRowCount = 1000
        let rows = try dbQueue.read { db in
            try db.sandboxed(sandbox) {
                try Row.fetchAll(db, sql: sql)
            }
        }
        // end
        let error = #expect(throws: DatabaseError.self) {
            try dbQueue.read { db in
                try db.sandboxed(sandbox) { try Row.fetchAll(db, sql: "SELECT * FROM secret") }
            }
        }
        #expect(error?.resultCode == .SQLITE_AUTH)
        #expect(rows.isEmpty)
    }
}
