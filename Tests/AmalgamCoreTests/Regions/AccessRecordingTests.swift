import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Recording the region that a closure reads.
struct AccessRecordingTests {
    private func recorded(
        into region: DatabaseRegion = DatabaseRegion(), _ body: (Database) throws -> Void
    ) throws -> String {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            var region = region
            try db.recordingAccess(in: &region) { try body(db) }
            return region.description
        }
    }

    @Test(arguments: [DatabaseRegion(), .fullDatabase, DatabaseRegion(table: "player")])
    func nothing(region: DatabaseRegion) throws {
        #expect(try recorded(into: region) { _ in } == region.description)
    }

    @Test func reads() throws {
        #expect(try recorded { _ = try Row.fetchAll($0, sql: "SELECT id, name FROM team") } == "team(id,name)")
        #expect(try recorded { _ = try String.fetchOne($0, sql: "SELECT name FROM team") } == "team(name)")
        #expect(try recorded { _ = try Row.fetchCursor($0, sql: "SELECT name FROM team") } == "team(name)")
        #expect(
            try recorded { try $0.execute(sql: "SELECT name FROM team; SELECT id, score FROM player") }
                == "player(id,score),team(name)")
    }

    @Test func statementsThatWereThereBefore() throws {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            let statement = try db.cachedStatement(sql: "SELECT name FROM team WHERE id = ?")
            for _ in 1...2 {
                var region = DatabaseRegion()
                try db.recordingAccess(in: &region) { _ = try Row.fetchOne(statement, arguments: [1]) }
                #expect(region.description == "team(id,name)")
            }
        }
    }

    @Test func regionsUnite() throws {
        func read(_ db: Database) throws { _ = try Row.fetchAll(db, sql: "SELECT id, name FROM team") }
        #expect(try recorded(into: DatabaseRegion(table: "player"), read) == "player(*),team(id,name)")
        #expect(try recorded(into: .fullDatabase, read) == "full database")
    }

    @Test func recordingsNest() throws {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            var (outer, first, second) = (DatabaseRegion(), DatabaseRegion(), DatabaseRegion())
            try db.recordingAccess(in: &outer) {
                _ = try Row.fetchAll(db, sql: "SELECT id, name FROM team")
                try db.recordingAccess(in: &first) { _ = try Row.fetchAll(db, sql: "SELECT id, score FROM player") }
                try db.recordingAccess(in: &second) { _ = try Row.fetchAll(db, sql: "SELECT id, teamId FROM player") }
            }
            #expect(first.description == "player(id,score)")
            #expect(second.description == "player(id,teamId)")
            #expect(outer.description == "player(id,score,teamId),team(id,name)")
        }
    }

    @Test func aFailureEndsTheRecording() throws {
        try DatabaseQueue().inDatabase { db in
            try db.createTeams()
            var region = DatabaseRegion()
            #expect(throws: Refusal.self) {
                try db.recordingAccess(in: &region) {
                    _ = try Row.fetchAll(db, sql: "SELECT id, name FROM team")
                    throw Refusal()
                }
            }
            _ = try Row.fetchAll(db, sql: "SELECT id, name FROM player")
            #expect(region.description == "team(id,name)")
        }
    }

    // MARK: registerAccess

    @Test func registeredRegions() throws {
        let region = try recorded { db in
            try db.registerAccess(to: DatabaseRegion(table: "player"))
            _ = try Row.fetchAll(db, sql: "SELECT id, name FROM team")
        }
        #expect(region == "player(*),team(id,name)")
        #expect(try recorded { try $0.registerAccess(to: .fullDatabase) } == "full database")
    }

    @Test func regionsAreNotComputedWhenNobodyRecords() throws {
        try DatabaseQueue().inDatabase { db in
            try db.registerAccess(to: AnyDatabaseRegionConvertible { _ in throw Refusal() })
            var region = DatabaseRegion()
            #expect(throws: Refusal.self) {
                try db.recordingAccess(in: &region) {
                    try db.registerAccess(to: AnyDatabaseRegionConvertible { _ in throw Refusal() })
                }
            }
        }
    }

    @Test func outsideOfAnAccess() throws {
        let db = try DatabaseQueue().inDatabase { Unchecked($0) }.value
        expectError(
            .SQLITE_MISUSE,
            "Database was not used on the correct thread. Use it inside the closure that receives it, only."
        ) { try db.registerAccess(to: .fullDatabase) }
    }

    /// A connection that is used outside of its access, which is misuse.
    private struct Unchecked: @unchecked Sendable {
        // Sendable: the test needs it for this misuse.
        let value: Database
        init(_ value: Database) { self.value = value }
    }
}
