import Amalgam
import Foundation
import Testing

@Suite("Guide: Changesets")
struct Changesets {
    let phone: DatabaseQueue
    let tablet: DatabaseQueue

    init() throws {
        // guide: devices
        let phone = try DatabaseQueue()
        let tablet = try DatabaseQueue()
        for device in [phone, tablet] {
            try device.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna', 10)")
            }
        }
        // end
        self.phone = phone
        self.tablet = tablet
    }

    @Test("Changes are recorded, sent, applied and inverted")
    func recording() throws {
        // guide: record
        let changeset = try phone.write { db in
            try db.recordChanges {
                try db.execute(sql: "UPDATE player SET score = 20 WHERE id = 1")
            }
        }
        let bytes = changeset.data  // send them, or store them
        // end
        // guide: apply
        try tablet.write { db in
            _ = try db.apply(Changeset(data: bytes)) { conflict in
                conflict.replaceOrOmit  // the changeset wins; omits what can't be replaced
            }
        }
        // end
        #expect(try tablet.read { try Int.fetchOne($0, sql: "SELECT score FROM player") } == 20)
        // guide: invert
        try phone.write { db in
            _ = try db.apply(changeset.inverted())
        }
        // end
        #expect(try phone.read { try Int.fetchOne($0, sql: "SELECT score FROM player") } == 10)
    }

    @Test("Two devices that change the same row")
    func rebasing() throws {
        // guide: rebase
        let remote = try phone.write { db in
            try db.recordChanges { try db.execute(sql: "UPDATE player SET score = 11") }
        }
        let local = try tablet.write { db in
            try db.recordChanges { try db.execute(sql: "UPDATE player SET score = 99, name = 'Ann'") }
        }
        let rebased = try tablet.write { db in
            let application = try db.apply(remote) { conflict in conflict.replaceOrOmit }
            return try local.rebased(on: application.resolutions)
        }
        try phone.write { db in _ = try db.apply(rebased) }
        // end
        for device in [phone, tablet] {
            let rows = try device.read { try Row.fetchAll($0, sql: "SELECT name, score FROM player") }
            #expect(rows == [["name": "Ann", "score": 11]])
        }
    }
}
