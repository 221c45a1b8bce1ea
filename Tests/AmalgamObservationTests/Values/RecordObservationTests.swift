#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

/// Observations whose values are records.
@Suite struct RecordObservationTests {
    #if MACRO_RECORDS
    @Record
    #endif
    struct Club: FetchedRecord, TableRecord {
        static let members = hasMany(Member.self, using: ForeignKey(["clubId"]))
        var id: Int
    }

    #if MACRO_RECORDS
    @Record
    #endif
    struct Member: FetchedRecord, TableRecord, Equatable { var id: Int, clubId: Int, name: String }

    #if MACRO_RECORDS
    @Selection
    #endif
    struct ClubWithMembers: FetchedRecord, Equatable { var id: Int, members: [Member] }

    static let clubs = """
        CREATE TABLE club (id INTEGER PRIMARY KEY);
        CREATE TABLE member (id INTEGER PRIMARY KEY, clubId INTEGER NOT NULL, name TEXT NOT NULL)
        """

    /// The first fetch finds no club, and therefore no member.
    @Test(arguments: Store.allCases, [false, true])
    func constantRegionsHaveTheRowsOfAssociationsToMany(_ store: Store, fetchesOne: Bool) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: Self.clubs) }
            let request = Club.orderByPrimaryKey().including(all: Club.members.orderByPrimaryKey())
                .asRequest(of: ClubWithMembers.self)
            var observation = ValueObservation.trackingConstantRegion { db in
                if fetchesOne { return try request.fetchOne(db).map { [$0] } ?? [] }
                return try request.fetchAll(db)
            }
            observation.requiresWriteAccess = true
            let regions = Log<String>()
            let recorder = Recorder<[ClubWithMembers]>()
            let cancellable = recorder.start(
                observation.handleEvents(willTrackRegion: { regions.append("\($0)") }), in: writer)
            for sql in [
                "INSERT INTO club (id) VALUES (1)", "INSERT INTO member VALUES (1, 1, 'Anna')",
                "UPDATE member SET name = 'Ben'", "DELETE FROM member",
            ] {
                try writer.write { try $0.execute(sql: sql) }
            }
            func club(_ names: String...) -> [ClubWithMembers] {
                [ClubWithMembers(id: 1, members: names.map { Member(id: 1, clubId: 1, name: $0) })]
            }
            #expect(try recorder.wait(count: 5) == [[], club(), club("Anna"), club("Ben"), club()])
            #expect(regions.elements == ["club(*),member(clubId,id,name)"])
            cancellable.cancel()
        }
    }

    /// The region stays constant: it isn't restricted to the rows of a club.
    @Test(arguments: Store.allCases)
    func constantRegionsAreNotReducedToValues(_ store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: Self.clubs + "; INSERT INTO club (id) VALUES (1)") }
            var observation = ValueObservation.trackingConstantRegion { db in
                try Member.filter(Column("clubId") == Club.fetchOne(db)!.id).fetchCount(db)
            }
            observation.requiresWriteAccess = true
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.execute(sql: "UPDATE club SET id = 2") }
            try writer.write { try $0.execute(sql: "INSERT INTO member VALUES (1, 2, 'Anna')") }
            #expect(try recorder.wait(count: 3) == [0, 0, 1])
            cancellable.cancel()
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    struct Player: FetchedRecord, TableRecord, Equatable { var id: Int, name: String }

    @Test(arguments: Store.allCases)
    func aRequestIsObserved(_ store: Store) throws {
        try store.withWriter { writer in
            let recorder = Recorder<[Player]>()
            let cancellable = recorder.start(ValueObservation.tracking(Player.fetchAll), in: writer)
            try recorder.wait(count: 1)
            try writer.write { try $0.addPlayer("Anna") }
            #expect(try recorder.wait(count: 2) == [[], [Player(id: 1, name: "Anna")]])
            cancellable.cancel()
        }
    }
}
#endif
