#if Macros || !MACRO_RECORDS
import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Records are fetched completely, or an error is thrown; and writes are atomic.
@Suite struct RecordFaults {
    @Test(arguments: Weather.all)
    func fetches(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try Player.orderByPrimaryKey().fetchAll(db))
                attempt.note(try Player.fetchOne(db, key: 2)?.name ?? "nil")
                let players = try Player.orderByPrimaryKey().fetchCursor(db)
                while let player = try players.next() { attempt.note(player.name) }
            }
        }
    }

    /// Strings are converted when they are read: a property must not be empty because memory is exhausted.
    @Test(arguments: Weather.memory)
    func conversions(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'")
            try db.createTeams()
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try Player.orderByPrimaryKey().fetchAll(db))
                attempt.note(try Team.find(db, key: 1))
            }
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct Event: FetchedRecord {
        enum Kind: String, Decodable { case start, end }
        var date: Date
        var kind: Kind
    }

    /// If memory is exhausted during the conversion of a column, the error isn't a decoding error.
    @Test(arguments: Weather.memory)
    func undecodable(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'")
            try db.execute(sql: "CREATE TABLE event (date TEXT, kind TEXT)")
            try db.execute(sql: "INSERT INTO event VALUES ('2026-11-22 12:00', 'start'), ('2026-11-22 13:00', 'end')")
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.read { db in
                do {
                    let events = try Event.fetchCursor(db, sql: "SELECT * FROM event")
                    while let event = try events.next() { attempt.note(event) }
                    attempt.note(try Event.fetchOne(db, sql: "SELECT * FROM event") as Any)
                } catch {
                    #expect(error is DatabaseError)
                    throw error
                }
            }
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct TeamInfo: FetchedRecord {
        var team: Team
        var players: [Player]
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct PlayerInfo: FetchedRecord {
        var player: Player
        var team: Team?
    }

    @Test(arguments: Weather.all)
    func graphs(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                let players = Team.players.orderByPrimaryKey()
                attempt.note(
                    try Team.including(all: players).orderByPrimaryKey().asRequest(of: TeamInfo.self).fetchAll(db))
                attempt.note(
                    try Player.including(optional: Player.team).orderByPrimaryKey().asRequest(of: PlayerInfo.self)
                        .fetchAll(db))
            }
        }
    }

    @Test(arguments: Weather.all)
    func insertions(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                var player = Player(name: "Dan", score: 1.5, teamId: 1)
                try player.insert(db)
                attempt.note(player.id ?? -1)
            }
            try attempt.step { db in
                attempt.note(try Player(name: "Eve", teamId: 2).insertAndFetch(db))
            }
        }
    }

    @Test(arguments: Weather.all)
    func saves(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                var team = Team(id: 1, name: "Greens")
                try team.save(db)
            }
            try attempt.step { db in
                try db.inTransaction {
                    var team = Team(id: 7, name: "Whites")
                    try team.save(db)
                    return .commit
                }
            }
        }
    }

    @Test(arguments: Weather.memory)
    func updates(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            var anna = Player(id: 1, name: "Anna", score: 10, teamId: 1)
            try attempt.step { db in
                attempt.note(try anna.updateChanges(db) { $0.score = 11 })
            }
            try attempt.step { db in
                attempt.note(try Player(id: 2, name: "Bob", teamId: 2).updateAndFetch(db))
            }
            try attempt.step { db in attempt.note(try Player(id: 3, name: "Cleo").delete(db)) }
        }
    }

    @Test(arguments: Weather.memory)
    func upserts(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                var anna = Player(name: "Anna", score: 99, teamId: 2)
                try anna.upsert(db)
                attempt.note(anna.id ?? -1)
            }
            try attempt.step { db in
                var bo = Player(name: "Bo", score: 1)
                let stored = try bo.upsertAndFetch(
                    db, onConflict: ["name"],
                    doUpdate: { _ in [Column("score") += 1, Column("teamId").noOverwrite] })
                attempt.note(stored)
            }
        }
    }
}
#endif
