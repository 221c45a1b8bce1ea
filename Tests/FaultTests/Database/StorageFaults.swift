import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Blobs, backups and databases as bytes.
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

    @Test(arguments: Weather.all)
    func backup(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let writer = try attempt.connect()
            let copy = attempt.keep(try DatabaseQueue(configuration: .inFaults))
            try attempt.step { try writer.backup(to: copy) }
            attempt.note(try copy.read { try $0.contents() })
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
