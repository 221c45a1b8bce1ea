#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

private struct Member: Codable {
    var id: Int64
    var name: String
}

#if MACRO_RECORDS
@Selection
#endif
private struct Team: FetchedRecord, Equatable {
    var id: Int64
    var name: String
}

#if MACRO_RECORDS
@Selection
#endif
private struct TeamInfo: FetchedRecord {
    var team: Team
}

#if MACRO_RECORDS
@Selection
#endif
private struct Pair: FetchedRecord {
    var member: Member
    var team: Team
}

#if MACRO_RECORDS
@Selection
#endif
private struct MemberInfo: FetchedRecord {
    var member: Member
    var team: Team?
}

/// Properties without a column of their name.
struct MissingColumnTests {
    @Test("one property without column may be the row itself")
    func wholeRow() throws {
        try withClub { db in
            for _ in 0..<2 {
                let infos = try TeamInfo.fetchAll(db, sql: "SELECT 1 AS id, 'Reds' AS name UNION SELECT 2, 'Blues'")
                #expect(infos.map(\.team) == [Team(id: 1, name: "Reds"), Team(id: 2, name: "Blues")])
            }
        }
    }

    @Test("with two of them, the association was not included: an error names both", arguments: [false, true])
    func twoWholeRows(areCopied: Bool) throws {
        try withClub { db in
            let sql = "SELECT 1 AS id, 'Reds' AS name"
            let error = #expect(throws: DecodingError.self) {
                if areCopied {
                    _ = try Row.fetchAll(db, sql: sql).map { try Pair(row: $0) }
                } else {
                    _ = try Pair.fetchAll(db, sql: sql)
                }
            }
            guard case .keyNotFound(let key, let context) = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(key.stringValue == "team")
            #expect(context.debugDescription == "No such key: member or team")
        }
    }

    @Test("an optional property is nil")
    func optionalProperties() throws {
        try withClub { db in
            let sql = "SELECT 1 AS id, 'a' AS name UNION SELECT 2, 'b' ORDER BY id"
            let infos = try MemberInfo.fetchAll(db, sql: sql)
            #expect(infos.map(\.member.name) == ["a", "b"])
            #expect(infos.map(\.team) == [nil, nil])
        }
    }
}
#endif
