import Amalgam
import TestSupport
import Testing

// SELECT 1 AS id, 'Anna' AS name, 7 AS id, 'Reds' AS name, 9 AS id, 'FR' AS code
private let adapter = ScopeAdapter(
    base: RangeRowAdapter(0..<2),
    scopes: [
        "team": ScopeAdapter(
            base: RangeRowAdapter(2..<4), scopes: ["country": RangeRowAdapter(4..<6)])
    ])

private let sql = """
    SELECT 1 AS id, 'Anna' AS name, 7 AS id, 'Reds' AS name, 9 AS id, 'FR' AS code
    UNION ALL SELECT 2, 'Bob', 8, 'Blues', NULL, NULL
    UNION ALL SELECT 3, 'Cleo', NULL, NULL, NULL, NULL
    """

private struct Member: Codable, FetchableRecord, Equatable { var id: Int; var name: String }
private struct Team: Codable, FetchableRecord, Equatable { var id: Int; var name: String }
private struct Nation: Codable, FetchableRecord, Equatable { var id: Int; var code: String }

/// Rows of cursors, copies, and records decoded from both.
struct RowPartTests {
    private func withRows(_ test: ([Row]) throws -> Void, live: (Row, Int) throws -> Void) throws {
        try DatabaseQueue().read { db in
            try test(Row.fetchAll(db, sql: sql, adapter: adapter))
            let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
            var index = 0
            while let row = try cursor.next() {
                try live(row, index)
                index += 1
            }
        }
    }

    @Test func decodesPartsByHand() throws {
        let teams = [Team(id: 7, name: "Reds"), Team(id: 8, name: "Blues"), nil]
        let nations = [Nation(id: 9, code: "FR"), nil, nil]
        try withRows { rows in
            #expect(rows.map { $0["team"] as Team? } == teams)
            #expect(rows.map { $0["country"] as Nation? } == nations)
            #expect(rows[0]["team"] as Team == teams[0])
            expectEqual(try rows[1].decode(Team.self, forKey: "team"), teams[1])
            expectEqual(try rows[2].decodeIfPresent(Team.self, forKey: "team"), nil)
            expectEqual(try rows[2].decodeIfPresent(Team.self, forKey: "missing"), nil)
            expectThrows(
                RowDecodingError.self,
                "key not found: \"missing\". Available scopes: [country, team] - row: [id:1 name:\"Anna\"]"
            ) { _ = try rows[0].decode(Team.self, forKey: "missing") }
        } live: { row, index in
            #expect(row["team"] as Team? == teams[index])
            #expect(row["country"] as Nation? == nations[index])
            expectEqual(try row.decodeIfPresent(Team.self, forKey: "missing"), nil)
        }
    }

    @Test func decodesPartsOfDecodableRecords() throws {
        struct TeamInfo: Decodable, Equatable { var id: Int; var name: String; var country: Nation? }
        struct Info: Decodable, FetchableRecord, Equatable {
            var id: Int
            var team: TeamInfo?
            var country: Nation?
            var member: Member
        }
        let infos = [
            Info(
                id: 1, team: TeamInfo(id: 7, name: "Reds", country: Nation(id: 9, code: "FR")),
                country: Nation(id: 9, code: "FR"), member: Member(id: 1, name: "Anna")),
            Info(
                id: 2, team: TeamInfo(id: 8, name: "Blues", country: nil), country: nil,
                member: Member(id: 2, name: "Bob")),
            Info(id: 3, team: nil, country: nil, member: Member(id: 3, name: "Cleo")),
        ]
        try DatabaseQueue().read { db in
            expectEqual(try Info.fetchAll(db, sql: sql, adapter: adapter), infos)
            expectEqual(try Row.fetchAll(db, sql: sql, adapter: adapter).map(Info.init(row:)), infos)
            expectEqual(try Info.fetchOne(db, sql: sql, adapter: adapter), infos[0])
            let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
            expectEqual(try Array(cursor.map { try Info(row: $0) }), infos)
        }
    }

    /// A type with a custom initializer is decoded by it.
    @Test func callsInitializers() throws {
        struct Custom: Decodable, FetchableRecord {
            var text: String
            init(row: Row) { text = row.description }
            init(from decoder: any Decoder) throws { text = "decoder" }
        }
        struct Info: Decodable, FetchableRecord { var team: Custom; var other: Custom }
        try DatabaseQueue().read { db in
            let infos = try Info.fetchAll(db, sql: sql, adapter: adapter)
            #expect(infos.map(\.team.text) == ["[id:7 name:\"Reds\"]", "[id:8 name:\"Blues\"]", "[id:NULL name:NULL]"])
            #expect(infos[0].other.text == "[id:1 name:\"Anna\"]")
        }
    }

    @Test func keepsParts() throws {
        struct Keeper: FetchableRecord {
            let row: Row
            init(row: Row) { self.row = row }
        }
        struct Info: FetchableRecord {
            let team: Keeper
            init(row: Row) { team = row["team"] }
        }
        try DatabaseQueue().read { db in
            let infos = try Info.fetchAll(db, sql: sql, adapter: adapter)
            #expect(infos.map { $0.team.row["id"] as Int? } == [7, 8, nil])
        }
    }

    @Test func tellsWhereErrorsAre() throws {
        struct Info: Decodable, FetchableRecord { var id: Int; var team: Team }
        try DatabaseQueue().read { db in
            expectThrows(
                RowDecodingError.self,
                """
                could not decode Int from database value NULL - column: "id", column index: 2, \
                row: [id:3 name:"Cleo" id:NULL name:NULL id:NULL code:NULL], sql: `\(sql)`, arguments: []
                """
            ) { _ = try Info.fetchAll(db, sql: sql, adapter: adapter) }
        }
    }

    @Test func combinesEmptyBases() throws {
        struct Pair: Codable, Equatable { var a: Member?; var b: Member? }
        struct Info: Decodable, FetchableRecord, Equatable { var pair: Pair? }
        struct Sure: Decodable, FetchableRecord, Equatable { var pair: Pair }
        let pair = ScopeAdapter(
            base: EmptyRowAdapter(), scopes: ["a": RangeRowAdapter(0..<2), "b": RangeRowAdapter(2..<4)])
        let adapter = ScopeAdapter(base: EmptyRowAdapter(), scopes: ["pair": pair])
        let sql = "SELECT NULL AS id, NULL AS name, 2 AS id, 'b' AS name UNION ALL SELECT NULL, NULL, NULL, NULL"
        try DatabaseQueue().read { db in
            expectEqual(
                try Info.fetchAll(db, sql: sql, adapter: adapter),
                [Info(pair: Pair(a: nil, b: Member(id: 2, name: "b"))), Info(pair: nil)])
            expectEqual(
                try Sure.fetchAll(db, sql: sql, adapter: adapter).last, Sure(pair: Pair(a: nil, b: nil)))
        }
    }
}
