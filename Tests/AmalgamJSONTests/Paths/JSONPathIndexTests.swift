import Amalgam
import Foundation
import TestSupport
import Testing

/// One index serves all spellings of a path.
struct JSONPathIndexTests {
    private static let kinds: [SQLExpression] = [
        info["kind"], info[["kind"]], info["$.kind"], info[\.kind], info[{ $0.kind }], info[#"$."kind""#],
        info[JSONPath.root["kind"]],
    ]
    private static let cities: [SQLExpression] = [
        info["$.address.city"], info[["address", "city"]], info[\.address.city], info[#"$."address".city"#],
    ]
    private static let oddKeys: [SQLExpression] = [
        info["postal code"], info[["postal code"]], info[#"$."postal code""#],
    ]
    private static let positions: [SQLExpression] = [info[0], info[[0]], info["$[0]"]]
    private static let lastPositions: [SQLExpression] = [info[-1], info[[-1]], info["$[#-1]"]]

    @Test(
        "of a key, of nested keys, of a key with blanks, of a position",
        arguments: [kinds, cities, oddKeys, positions, lastPositions].indices)
    func spellings(group: Int) throws {
        let spellings = [Self.kinds, Self.cities, Self.oddKeys, Self.positions, Self.lastPositions][group]
        for indexed in spellings {
            try withLibrary { db in
                try db.create(index: "i", on: "book", expressions: [indexed])
                for spelling in spellings {
                    let sql = try Book.filter(spelling == "x").makePreparedRequest(db, forSingleResult: false).statement
                        .sql
                    let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: ["x"])
                    let details = plan.map { $0["detail"] as String }
                    #expect(details == ["SEARCH book USING INDEX i (<expr>=?)"], "\(sql)")
                }
            }
        }
    }

    @Test("a key that looks like something else is written as a path")
    func keysThatArePaths() throws {
        let keys = ["$", "$.a", "[0]", "", #"say "hi""#, #"back\slash"#, "line\nbreak"]
        for key in keys {
            try DatabaseQueue().read { db in
                let json = String(decoding: try DatabaseValue.databaseJSONEncoder().encode([key: 7]), as: UTF8.self)
                let document = json.databaseValue.asJSON
                expectEqual(try Int.fetchOne(db, SQLRequest<Int>("SELECT \(document[[.key(key)]])")), 7)
            }
        }
    }

    @Test("a string that isn't a path is a key, whatever characters it has")
    func stringsAsKeys() throws {
        for key in ["", "\"", #"#1""#, #"say "hi""#, #"back\slash"#, "line\nbreak", "[a]", "[", "é", "a.b"] {
            try DatabaseQueue().read { db in
                let json = String(decoding: try DatabaseValue.databaseJSONEncoder().encode([key: 7]), as: UTF8.self)
                let document = json.databaseValue.asJSON
                expectEqual(try Int.fetchOne(db, SQLRequest<Int>("SELECT \(document[key])")), 7)
                let representation = document.jsonRepresentation(atPath: key)
                expectEqual(try String.fetchOne(db, SQLRequest<String>("SELECT \(representation)")), "7")
            }
        }
        try DatabaseQueue().read { db in
            expectEqual(try Int.fetchOne(db, SQLRequest<Int>("SELECT \("[5]".databaseValue.asJSON["[0]"])")), 5)
        }
    }

    @Test("what is no path is left to SQLite")
    func malformedPaths() throws {
        expectError("bad JSON path: '$a'") {
            try withLibrary { db in _ = try Book.select(info["$a"], as: String.self).fetchAll(db) }
        }
    }
}
