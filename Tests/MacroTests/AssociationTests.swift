#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

@Record("team")
private struct Team: Equatable {
    @Key var id: Int64
    var name: String

    static let members = hasMany(Member.self)
}

@Record("member")
private struct Member: Equatable {
    @Key var id: Int64
    var teamId: Int64?
    var name: String

    static let team = belongsTo(Team.self)
}

@Selection
private struct MemberInfo: Equatable {
    var member: Member
    var team: Team?
}

@Selection
private struct TeamInfo: Equatable {
    var team: Team
    var members: [Member]
    var memberCount: Int
}

@Selection
private struct DefaultInfo {
    var team: Team = Team(id: 0, name: "None")
    var codable: CodableTeam = CodableTeam(id: 0, name: "None")
    var friends: [Member] = []
    var codables: [CodableTeam] = []
    var member: Member
}

/// A `Codable` type around records that macros have written.
private struct CodableTeam: Codable, FetchableRecord, TableRecord, Equatable {
    static let databaseTableName = "team"
    var id: Int64
    var name: String
    static let members = hasMany(Member.self)
}

@Suite("Associations of records that macros have written")
struct AssociationTests {
    private func withLeague<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE member (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT NOT NULL);
                    INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
                    INSERT INTO member VALUES (1, 1, 'Anna'), (2, 1, 'Ben'), (3, NULL, 'Cleo');
                    """)
            return try body(db)
        }
    }

    @Test("a to-one association: columns of both tables, read by position")
    func toOne() throws {
        try withLeague { db in
            let request = Member.including(optional: Member.team).order(Column("id"))
            let infos = try MemberInfo.fetchAll(db, request)
            let red = Team(id: 1, name: "Red")
            expectEqual(
                infos,
                [
                    MemberInfo(member: Member(id: 1, teamId: 1, name: "Anna"), team: red),
                    MemberInfo(member: Member(id: 2, teamId: 1, name: "Ben"), team: red),
                    MemberInfo(member: Member(id: 3, teamId: nil, name: "Cleo"), team: nil),
                ])
            // Copied rows.
            expectEqual(try Row.fetchAll(db, request).map { try MemberInfo(row: $0) }, infos)
        }
    }

    @Test("a to-many association, and a count")
    func toMany() throws {
        try withLeague { db in
            let request = Team.including(all: Team.members.order(Column("id"))).annotated(with: Team.members.count)
                .order(Column("id"))
            expectEqual(
                try TeamInfo.fetchAll(db, request),
                [
                    TeamInfo(
                        team: Team(id: 1, name: "Red"),
                        members: [Member(id: 1, teamId: 1, name: "Anna"), Member(id: 2, teamId: 1, name: "Ben")],
                        memberCount: 2),
                    TeamInfo(team: Team(id: 2, name: "Blue"), members: [], memberCount: 0),
                ])
            let red = try #require(try Team.fetchOne(db, key: 1))
            expectEqual(try red.request(for: Team.members).fetchAll(db).map(\.name), ["Anna", "Ben"])
        }
    }

    @Test("a property with a default value isn't read from the row itself")
    func defaultValues() throws {
        try withLeague { db in
            let infos = try DefaultInfo.fetchAll(db, Member.order(Column("id")))
            expectEqual(infos.map(\.team.name), ["None", "None", "None"])
            expectEqual(infos.map(\.codable.name), ["None", "None", "None"])
            expectEqual(infos.map { $0.friends.count + $0.codables.count }, [0, 0, 0])
            expectEqual(infos.map(\.member.name), ["Anna", "Ben", "Cleo"])
        }
    }

    @Test("records of all kinds in one request")
    func mixed() throws {
        try withLeague { db in
            let teams = try CodableTeam.joining(required: CodableTeam.members.filter(Column("name") == "Ben"))
                .fetchAll(db)
            expectEqual(teams, [CodableTeam(id: 1, name: "Red")])
            let members = try Member.joining(required: Member.team.filter { $0.name == "Red" }).fetchAll(db)
            expectEqual(members.map(\.name), ["Anna", "Ben"])
        }
    }

    @Test("an adapter that changes the columns")
    func adapters() throws {
        try withLeague { db in
            let sql = "SELECT 7 AS id, 'x' AS name, team.* FROM team WHERE id = 1"
            expectEqual(
                try Team.fetchAll(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 2)), [Team(id: 1, name: "Red")])
            expectEqual(try Team.fetchAll(db, sql: sql), [Team(id: 7, name: "x")])
        }
    }

    @Test("a statement that is recompiled with other columns")
    func recompiled() throws {
        try withLeague { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM team WHERE id = 1")
            expectEqual(try Team.fetchAll(statement), [Team(id: 1, name: "Red")])
            try db.execute(
                sql: """
                    ALTER TABLE team RENAME TO old;
                    CREATE TABLE team (name TEXT, extra TEXT DEFAULT 'e', id INTEGER PRIMARY KEY);
                    INSERT INTO team (id, name) SELECT id, name FROM old;
                    """)
            expectEqual(try Team.fetchAll(statement), [Team(id: 1, name: "Red")])
        }
    }

    @Test("a cursor's record can be kept, and an observation gives records")
    func cursorsAndObservations() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            try Team(id: 1, name: "Red").insert(db)
            let cursor = try Team.fetchCursor(db)
            let first = try cursor.next()
            expectEqual(try cursor.next(), nil)
            expectEqual(first, Team(id: 1, name: "Red"))
        }
        let observation = ValueObservation.tracking { db in try Team.fetchAll(db) }
        for try await teams in observation.values(in: queue) {
            expectEqual(teams.map(\.name), ["Red"])
            break
        }
    }
}
#endif
