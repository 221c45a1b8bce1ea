#if Macros || !MACRO_RECORDS
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

#if MACRO_RECORDS
@Selection
#endif
private struct Member: FetchedRecord, Equatable {
    var id: Int
    var name: String
}

#if MACRO_RECORDS
@Selection
#endif
private struct Team: FetchedRecord, Equatable {
    var id: Int
    var name: String
}

#if MACRO_RECORDS
@Selection
#endif
private struct Nation: FetchedRecord, Equatable {
    var id: Int
    var code: String
}

#if MACRO_RECORDS
@Selection
#endif
private struct TeamPart: FetchedPart, Equatable {
    var id: Int
    var name: String
    var country: Nation?
}

#if MACRO_RECORDS
@Selection
#endif
private struct MemberInfo: FetchedRecord, Equatable {
    var id: Int
    var team: TeamPart?
    var country: Nation?
    var member: Member
}

/// A record with a custom initializer.
private struct Described: Decodable, FetchableRecord {
    var text: String
    init(row: Row) { text = row.description }
    init(from decoder: any Decoder) throws { text = "decoder" }
}

#if MACRO_RECORDS
@Selection
#endif
private struct DescribedInfo: FetchedRecord {
    var team: Described
    var other: Described
}

#if MACRO_RECORDS
@Selection
#endif
private struct TeamInfo: FetchedRecord {
    var id: Int
    var team: Team
}

#if MACRO_RECORDS
@Selection
#endif
private struct Pair: FetchedPart, Equatable {
    var a: Member?
    var b: Member?
}

#if MACRO_RECORDS
@Selection
#endif
private struct OptionalPair: FetchedRecord, Equatable {
    var pair: Pair?
}

#if MACRO_RECORDS
@Selection
#endif
private struct SurePair: FetchedRecord, Equatable {
    var pair: Pair
}

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
        let infos = [
            MemberInfo(
                id: 1, team: TeamPart(id: 7, name: "Reds", country: Nation(id: 9, code: "FR")),
                country: Nation(id: 9, code: "FR"), member: Member(id: 1, name: "Anna")),
            MemberInfo(
                id: 2, team: TeamPart(id: 8, name: "Blues", country: nil), country: nil,
                member: Member(id: 2, name: "Bob")),
            MemberInfo(id: 3, team: nil, country: nil, member: Member(id: 3, name: "Cleo")),
        ]
        try DatabaseQueue().read { db in
            expectEqual(try MemberInfo.fetchAll(db, sql: sql, adapter: adapter), infos)
            expectEqual(try Row.fetchAll(db, sql: sql, adapter: adapter).map(MemberInfo.init(row:)), infos)
            expectEqual(try MemberInfo.fetchOne(db, sql: sql, adapter: adapter), infos[0])
            let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
            expectEqual(try Array(cursor.map { try MemberInfo(row: $0) }), infos)
        }
    }

    /// A type with a custom initializer is decoded by it.
    @Test func callsInitializers() throws {
        try DatabaseQueue().read { db in
            let infos = try DescribedInfo.fetchAll(db, sql: sql, adapter: adapter)
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
        try DatabaseQueue().read { db in
            expectThrows(
                RowDecodingError.self,
                """
                could not decode Int from database value NULL - column: "id", column index: 2, \
                row: [id:3 name:"Cleo" id:NULL name:NULL id:NULL code:NULL], sql: `\(sql)`, arguments: []
                """
            ) { _ = try TeamInfo.fetchAll(db, sql: sql, adapter: adapter) }
        }
    }

    @Test func combinesEmptyBases() throws {
        let pair = ScopeAdapter(
            base: EmptyRowAdapter(), scopes: ["a": RangeRowAdapter(0..<2), "b": RangeRowAdapter(2..<4)])
        let adapter = ScopeAdapter(base: EmptyRowAdapter(), scopes: ["pair": pair])
        let sql = "SELECT NULL AS id, NULL AS name, 2 AS id, 'b' AS name UNION ALL SELECT NULL, NULL, NULL, NULL"
        try DatabaseQueue().read { db in
            expectEqual(
                try OptionalPair.fetchAll(db, sql: sql, adapter: adapter),
                [OptionalPair(pair: Pair(a: nil, b: Member(id: 2, name: "b"))), OptionalPair(pair: nil)])
            expectEqual(
                try SurePair.fetchAll(db, sql: sql, adapter: adapter).last, SurePair(pair: Pair(a: nil, b: nil)))
        }
    }
}
#endif
