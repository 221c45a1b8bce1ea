import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Bound arrays: either all elements are bound, or an error is thrown.
@Suite struct SQLArrayFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]))
    func membership(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let sql = "SELECT name FROM player WHERE id IN carray(?) ORDER BY id"
                attempt.note(try String.fetchAll(db, sql: sql, arguments: [SQLArray([1, 3])]))
                attempt.note(try String.fetchAll(db, sql: sql, arguments: [SQLArray(Array(2...50))]))
                try db.execute(sql: "DELETE FROM player WHERE name IN carray(?)", arguments: [SQLArray(["Bo", "Dan"])])
            }
        }
    }

    @Test(arguments: Weather.memory)
    func elements(weather: Weather) throws {
        let setUp = { (db: Database) in try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a)") }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let arrays = [
                    SQLArray([1.5, 2.5]), SQLArray(["a", "bc", ""]), SQLArray([Data([1]), Data()]),
                ]
                let statement = try db.makeStatement(sql: "SELECT typeof(value), value FROM carray(?)")
                for array in arrays { attempt.note(try Row.fetchAll(statement, arguments: [array])) }
            }
        }
    }
}
