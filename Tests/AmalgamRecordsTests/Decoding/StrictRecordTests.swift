#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// Records decoded on a connection with `Configuration.strictDecoding`.
struct StrictRecordTests {
    #if MACRO_RECORDS
    @Record
    #endif
    struct Team: FetchedRecord, TableRecord {
        static let players = hasMany(Member.self)
        var id: Int64
        var name: String
    }

    #if MACRO_RECORDS
    @Record
    #endif
    struct Member: FetchedRecord, TableRecord {
        enum Grade: String, Codable { case beginner, master }
        var id: Int64
        var score: Int?
        var weight: Double
        var grade: Grade
    }

    /// A record that decodes its row in Swift code.
    struct Score: FetchableRecord {
        var value: Int

        init(row: Row) throws {
            value = try row.decode(Int.self, forColumn: "score")
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    struct TeamWithMembers: FetchedRecord {
        var team: Team
        var members: [Member]
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    struct Moment: FetchedRecord {
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            .timeIntervalSince1970
        }
        var date: Date
    }

    private func withTeams<T>(strict: Bool, member: String, _ body: (Database) throws -> T) throws -> T {
        var configuration = Configuration()
        configuration.strictDecoding = strict
        return try DatabaseQueue(configuration: configuration).inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE member (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, score, weight, grade);
                    INSERT INTO team VALUES (1, 'Reds');
                    INSERT INTO member VALUES (1, 1, \(member));
                    """)
            return try body(db)
        }
    }

    private func count<T>(_ body: () throws -> [T]) throws -> Int {
        do { return try body().count } catch is RowDecodingError { return 0 }
    }

    /// Returns the numbers of decoded records: of a statement, of copied rows, and of prefetched rows.
    private func counts(_ member: String, strict: Bool) throws -> [Int] {
        try withTeams(strict: strict, member: member) { db in
            let sql = "SELECT * FROM member"
            let request = Team.including(all: Team.players.forKey("members")).asRequest(of: TeamWithMembers.self)
            return [
                try count { try Member.fetchAll(db, sql: sql) },
                try count { try Member.fetchOne(db, sql: sql).map { [$0] } ?? [] },
                try count { try Row.fetchAll(db, sql: sql).map { try Member(row: $0) } },
                try count { try request.fetchAll(db).flatMap(\.members) },
            ]
        }
    }

    @Test func valuesOfTheirTypesAreDecoded() throws {
        for member in ["10, 60.5, 'master'", "NULL, 60, 'master'", "10.0, 60, 'beginner'"] {
            #expect(try counts(member, strict: true) == [1, 1, 1, 1])
        }
    }

    @Test(arguments: ["'abc', 60.5, 'master'", "10, '60', 'master'"])
    func textIsNotANumber(member: String) throws {
        #expect(try counts(member, strict: true) == [0, 0, 0, 0])
        #expect(try counts(member, strict: false) == [1, 1, 0, 0])
    }

    @Test(arguments: ["10.5, 60, 'master'", "10, 60, CAST('master' AS BLOB)"])
    func fractionsAndBlobs(member: String) throws {
        #expect(try counts(member, strict: true) == [0, 0, 0, 0])
        #expect(try counts(member, strict: false) == [1, 1, 1, 1])
    }

    @Test func recordsThatDecodeTheirRow() throws {
        try withTeams(strict: true, member: "'10', 60, 'master'") { db in
            let location = #"column: "score", column index: 0, row: [score:"10"]"#
            let reason = "could not decode Int from database value \"10\" - \(location)"
            expectDecodingError("\(reason), sql: `SELECT score FROM member`, arguments: []") {
                _ = try Score.fetchAll(db, sql: "SELECT score FROM member")
            }
            expectDecodingError(reason) {
                _ = try Row.fetchAll(db, sql: "SELECT score FROM member").map(Score.init(row:))
            }
        }
    }

    @Test func datesStoredAsNumbers() throws {
        for strict in [false, true] {
            try withTeams(strict: strict, member: "10, 60, 'master'") { db in
                let dates = try Moment.fetchAll(db, sql: "SELECT 2 AS date").map(\.date)
                expectEqual(dates, [Date(timeIntervalSince1970: 2)])
                expectEqual(try count { try Moment.fetchAll(db, sql: "SELECT 'Yesterday' AS date") }, strict ? 0 : 1)
            }
        }
    }
}
#endif
