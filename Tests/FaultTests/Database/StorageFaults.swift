import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Blobs, backups and serialized databases.
@Suite struct StorageFaults {
    @Test(arguments: Weather.all)
    func blob(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.withBlob(table: "page", column: "content", rowID: 3, access: .readWrite) { blob in
                    try blob.write(Data([1, 2, 3]), at: 500)
                    attempt.note(Array(try blob.read(at: 499, count: 5)))
                }
            }
        }
    }

    /// One handle is moved from row to row, and one is read and written in parts.
    @Test(arguments: Weather.all)
    func reopenedBlob(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.withBlob(table: "page", column: "content", rowID: 1, access: .readWrite) { blob in
                    for id: Int64 in [7, 20] {
                        try blob.write(Data(repeating: UInt8(id), count: 100), at: 300)
                        try blob.reopen(rowID: id)
                    }
                    attempt.note(try blob.readAll().count)
                }
            }
            try attempt.step { db in try db.execute(sql: "DELETE FROM page WHERE id > 10") }
        }
    }

    @Test(arguments: Weather.all)
    func backup(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let writer = try attempt.connect()
            let copy = attempt.keep(try DatabaseQueue(configuration: .inFaults))
            try attempt.step { try writer.backup(to: copy) }
            attempt.note(try copy.read { try $0.contents() })
        }
    }

    /// Writes to the destination fail, page by page: it has either its previous content, or the copy.
    @Test(arguments: Weather.all)
    func backupInSteps(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            let writer = try attempt.connect()
            let source = attempt.keep(try DatabaseQueue(configuration: .inFaults))
            try source.write { try $0.createPages() }
            var steps = 0
            try attempt.step { try source.backup(to: writer, pagesPerStep: 3) { _ in steps += 1 } }
            attempt.note(steps)
            try attempt.step { db in try db.execute(sql: "DELETE FROM page WHERE id > 10") }
        }
    }

    @Test(arguments: Weather.all)
    func serialize(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            attempt.note(try attempt.step { db in try db.serialize().count })
        }
    }
}
