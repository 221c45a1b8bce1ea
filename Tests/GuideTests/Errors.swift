import Amalgam
import Foundation
import Testing

@Suite("Guide: Errors")
struct Errors {
    let dbQueue: DatabaseQueue

    init() throws {
        // guide: table
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
        }
        // end
        self.dbQueue = dbQueue
    }

    @Test("The parts of an error")
    func parts() throws {
        var failure: DatabaseError?
        // guide: parts
        do {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Anna"])
            }
        } catch let error as DatabaseError {
            print(error.resultCode)  // 19: SQLITE_CONSTRAINT
            print(error.extendedResultCode)  // 2067: SQLITE_CONSTRAINT_UNIQUE
            print(error.message!)  // UNIQUE constraint failed: player.name
            print(error.sql!)  // INSERT INTO player (name) VALUES (?)
            // end
            failure = error
            // guide: parts
        }
        // end
        #expect(failure?.resultCode == .SQLITE_CONSTRAINT)
        #expect(failure?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(failure?.message == "UNIQUE constraint failed: player.name")
        #expect(failure?.sql == "INSERT INTO player (name) VALUES (?)")
    }

    @Test("What an application does about an error")
    func reactions() throws {
        // guide: react
        func insert(_ name: String) throws -> String {
            do {
                try dbQueue.write { db in
                    try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
                }
                return "saved"
            } catch let error as DatabaseError {
                switch error {
                case DatabaseError.SQLITE_CONSTRAINT_UNIQUE: return "this name is taken"
                case DatabaseError.SQLITE_CONSTRAINT: return "this isn't a valid player"
                case DatabaseError.SQLITE_BUSY: return "another process is writing: try again"
                case DatabaseError.SQLITE_FULL: return "the disk is full"
                default: throw error
                }
            }
        }
        // end
        #expect(try insert("Bo") == "saved")
        #expect(try insert("Bo") == "this name is taken")
    }
}
