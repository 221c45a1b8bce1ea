import Amalgam
import Foundation

// A program that writes numbered transactions until it is killed, and prints each number after its commit.
//
// usage: amalgam-kill-writer KIND PATH SEED

extension DatabaseWriter {
    /// Writes the transaction that follows the last one.
    ///
    /// A batch is complete if there are `size` entries of it, and their sum is in the running total.
    fileprivate func writeBatch(_ random: inout Random) throws -> Int {
        try write { db in
            let number = (try Int.fetchOne(db, sql: "SELECT MAX(number) FROM batch") ?? 0) + 1
            let size = random.next(below: 4) == 0 ? random.next(below: 200) : 1 + random.next(below: 8)
            try db.execute(sql: "INSERT INTO batch VALUES (?, ?)", arguments: [number, size])
            for position in 0..<size {
                try db.execute(
                    sql: "INSERT INTO entry VALUES (?, ?, zeroblob(?))",
                    arguments: [number, position, random.next(below: 2000)])
            }
            try db.execute(sql: "UPDATE total SET entries = entries + ?", arguments: [size])
            try db.undoSomething(number, &random)
            return number
        }
    }
}

extension Database {
    /// Savepoints that are rolled back must not store anything either.
    fileprivate func undoSomething(_ number: Int, _ random: inout Random) throws {
        guard random.next(below: 3) == 0 else { return }
        try inSavepoint {
            try execute(
                sql: "INSERT OR IGNORE INTO entry SELECT ?, position + 1000, content FROM entry", arguments: [number])
            try execute(sql: "DELETE FROM batch")
            return .rollback
        }
    }

    /// Operations that move pages, and remove journals and WAL files.
    fileprivate func tidy(_ random: inout Random) throws {
        switch random.next(below: 12) {
        case 0: try execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        case 1: try execute(sql: "PRAGMA incremental_vacuum(20)")
        case 2: try execute(sql: "VACUUM")
        default: break
        }
    }
}

func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let kind = Kind(rawValue: arguments[1]), let seed = UInt64(arguments[3]) else {
        FileHandle.standardError.write(Data("usage: amalgam-kill-writer KIND PATH SEED\n".utf8))
        exit(2)
    }
    var random = Random(seed: seed)
    let writer = try kind.open(arguments[2])
    while true {
        let number = try writer.writeBatch(&random)
        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        try writer.writeWithoutTransaction { try $0.tidy(&random) }
    }
}

do {
    try run()
} catch {
    // Not a crash: crash reporters would outlive the process, and keep its output open.
    FileHandle.standardError.write(Data("amalgam-kill-writer: \(error)\n".utf8))
    exit(1)
}
