import Amalgam
import Foundation
import Testing

private struct Pair: TableRecord {
    static let databaseTableName = "pair"
}

private typealias Key = [String: (any DatabaseValueConvertible)?]

private func emailKey(_ id: Int) -> Key { ["email": "e\(id)"] }

private func pairKey(_ id: Int) -> Key { ["a": id, "b": "e\(id)"] }

/// Runs a test on a table with more rows than SQLite accepts arguments.
private func withManyRows(_ test: (Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
                CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (a, b));
                WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
                INSERT INTO player SELECT i, 'e' || i FROM n;
                INSERT INTO pair SELECT id, email FROM player;
                """)
        try test(db)
    }
}

@Suite("More keys than a statement has parameters")
struct ManyKeysTests {
    private let table = Table("player")
    private let keys = Array(1...40_000)

    @Test("primary keys are one array")
    func primaryKeys() throws {
        try withManyRows { db in
            let count = try table.filter(keys: keys).fetchCount(db)
            #expect(count == 40_000)
            let (sql, arguments) = try SQLRequest<Row>("\(table.filter(keys: keys))").prepared(db)
            #expect(sql == #"SELECT * FROM "player" WHERE "id" IN (SELECT +value FROM carray(?))"#)
            #expect(arguments == [SQLArray(keys)])
            let deleted = try table.filter(keys: keys.dropLast(2)).deleteAll(db)
            #expect(deleted == 39_998)
        }
    }

    @Test("so are lists, with room for other arguments beside them")
    func lists() throws {
        let (id, email) = (Column("id"), Column("email"))
        try withManyRows { db in
            let emails = keys.map { "e\($0)" }
            let both = table.filter(keys.contains(id)).filter(!emails.dropFirst().contains(email)).filter(id < 10)
            let ids = try Int.fetchAll(db, both.select(id, as: Int.self))
            #expect(ids == [1])
            // A list that nearly fills the statement leaves room for other arguments.
            for count in [32_000, 32_766, 32_767] {
                let request = table.filter(keys.prefix(count).contains(id)).filter(id > 10).filter(email != "e11")
                let found = try request.fetchCount(db)
                #expect(found == count - 11)
            }
        }
    }

    @Test("values of several kinds, which no array holds, are found as well")
    func kindsOfValues() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (value)")
            let values: [DatabaseValue] = [
                1.databaseValue, Int64.min.databaseValue, Int64.max.databaseValue, 1.5.databaseValue,
                (-0.1).databaseValue,
                1e300.databaseValue, "1".databaseValue, "é\"\\\n\u{1}🎈".databaseValue, "a\0b".databaseValue,
                "".databaseValue, "[1]".databaseValue, Data([1, 0, 255]).databaseValue, Data().databaseValue,
                Data("1".utf8).databaseValue,
            ]
            for value in values { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) }
            try db.setLimit(.parameterCount, to: 3)
            let column = Column("value")
            let request = Table("t").filter(values.contains(column))
            let count = try request.fetchCount(db)
            #expect(count == values.count)
            let sql = try SQLRequest<Row>("\(request)").prepared(db).sql
            #expect(sql.contains("FROM json_each(?)"))
            for value in values {
                let others = values.filter { $0 != value }
                let rest = try DatabaseValue.fetchAll(
                    db, Table("t").filter(!others.contains(column)).select(column, as: DatabaseValue.self))
                #expect(rest == [value])
            }
            // NULL has the same meaning as in a short list.
            let withNull = values + [.null]
            let found = try Table("t").filter(withNull.contains(column)).fetchCount(db)
            let others = try Table("t").filter(!withNull.contains(column)).fetchCount(db)
            #expect(found == values.count)
            #expect(others == 0)
        }
    }

    @Test("keys by the names of their columns are one condition")
    func namedKeys() throws {
        try withManyRows { db in
            for count in [1, 500, 501, 2_000, 40_000] {
                let emails = table.filter(keys: (1...count).map(emailKey))
                let found = try emails.fetchCount(db)
                #expect(found == count)
                let pairs = Pair.filter(keys: (1...count).map(pairKey))
                let foundPairs = try pairs.fetchCount(db)
                #expect(foundPairs == count)
            }
            let pairs = Pair.filter(keys: (1...1000).map(pairKey))
            let sql = try SQLRequest<Row>("\(pairs)").prepared(db).sql
            #expect(sql.hasPrefix(#"SELECT * FROM "pair" WHERE ("a", "b") IN (VALUES (?, ?), (?, ?),"#))
            let deleted = try Pair.deleteAll(db, keys: (1...40_000).map(pairKey))
            #expect(deleted == 40_000)
        }
    }

    @Test("keys of different columns, and those with NULL, are asked for by themselves")
    func mixedKeys() throws {
        try withManyRows { db in
            try db.execute(
                sql: "INSERT INTO player VALUES (50000, NULL); INSERT INTO pair VALUES (NULL, 'x'), (NULL, 'y')")
            var keys: [Key] = (1...600).map { (id: Int) in ["id": id] }
            keys += (501...700).map(emailKey)
            keys.append(["email": nil])
            let count = try table.filter(keys: keys).fetchCount(db)
            #expect(count == 701)
            var pairs = (1...600).map(pairKey)
            pairs.append(["a": nil, "b": "x"])
            let pairCount = try Pair.filter(keys: pairs).fetchCount(db)
            #expect(pairCount == 601)
        }
    }

    @Test("errors of long statements are short, and hold the whole SQL")
    func errors() throws {
        try withManyRows { db in
            let columns = (0..<40_000).map { _ in Column("id").sqlExpression }
            let error = #expect(throws: DatabaseError.self) {
                _ = try table.filter(columns.contains(Column("missing"))).fetchCount(db)
            }
            #expect((error?.sql?.count ?? 0) > 100_000)
            #expect((error?.description.count ?? 0) < 5000)
            #expect(error?.description.contains(" characters … ") == true)
        }
    }
}

extension SQLRequest {
    fileprivate func prepared(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        let statement = try makePreparedRequest(db).statement
        return (statement.sql, statement.arguments)
    }
}
