import Amalgam
import AmalgamCore
import Testing

/// The database contains exactly what was committed.
@Suite struct TransactionFaults {
    @Test(arguments: Weather.all)
    func autocommit(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.execute(sql: "INSERT INTO team (name) VALUES (?)", arguments: ["Greens"])
            }
            try attempt.step { db in try db.execute(sql: "DELETE FROM team WHERE id = 1") }
            try attempt.step { db in try db.execute(sql: "UPDATE player SET score = score + 1") }
        }
    }

    @Test(arguments: Weather.all)
    func transactions(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO team (name) VALUES ('Greens')")
                    try db.execute(sql: "INSERT INTO player (name, teamId) VALUES ('Dan', 3)")
                    return .commit
                }
            }
            try attempt.step { db in
                try db.inTransaction(.exclusive) {
                    try db.execute(sql: "DELETE FROM player")
                    return .rollback
                }
            }
            try attempt.step { db in
                try db.inTransaction(.deferred) {
                    attempt.note(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1)
                    return .commit
                }
            }
        }
    }

    @Test(arguments: Weather.all)
    func savepoints(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO team (name) VALUES ('Greens')")
                    try db.inSavepoint {
                        try db.execute(sql: "DELETE FROM player")
                        return .rollback
                    }
                    try db.inSavepoint {
                        try db.execute(sql: "UPDATE player SET score = 1")
                        return .commit
                    }
                    attempt.note(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1)
                    return .commit
                }
            }
        }
    }

    /// A failed part of a transaction is undone, and the rest is committed, or the whole transaction is undone.
    @Test(arguments: Weather.allocations())
    func survivingSavepoint(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            var failure: (any Error)?
            do {
                try attempt.step { db in
                    try db.inTransaction {
                        try attempt.calmly { try db.execute(sql: "INSERT INTO team (name) VALUES ('Greens')") }
                        do {
                            try db.renameAll()
                        } catch {
                            failure = error
                        }
                        return try attempt.calmly {
                            let names = try String.fetchSet(db, sql: "SELECT DISTINCT name FROM player")
                            if names.count != (failure == nil ? 1 : 3) { throw DatabaseError(message: "\(names)") }
                            return failure == nil ? .commit : .rollback
                        }
                    }
                    if let failure { throw failure }
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ABORT {
                throw failure ?? error
            }
        }
    }

    /// Changes that don't fit into the cache are written before the commit.
    @Test(arguments: Weather.all)
    func largeTransaction(weather: Weather) throws {
        let stride = weather.fault.isMemory ? 5 : 3
        try everyFault(of: weather, stride: stride, setUp: { try $0.createPages() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.execute(sql: "PRAGMA cache_size = 5")
                try db.inTransaction {
                    try db.execute(sql: "UPDATE page SET content = zeroblob(900) WHERE id % 2")
                    try db.execute(sql: "DELETE FROM page WHERE id > 20")
                    return .commit
                }
            }
        }
    }

    @Test(arguments: Weather.memory)
    func constraintFailure(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                do {
                    try db.execute(sql: "INSERT INTO player (name, teamId) VALUES ('Dan', 1), ('Anna', 1)")
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    attempt.note(error.extendedResultCode)
                }
            }
        }
    }
}

extension Database {
    fileprivate func renameAll() throws {
        try inSavepoint {
            try execute(sql: "DELETE FROM player WHERE id > 1")
            try execute(sql: "UPDATE player SET name = 'Zoe'")
            return .commit
        }
    }
}
