import Amalgam
import TestSupport
import Testing

/// A custom request of an application: names, from statements that depend on the number of results.
private struct NamesRequest: FetchRequest {
    typealias RowDecoder = String

    let log = SQLLog()

    var sqlSubquery: SQLSubquery { SQLRequest<String>(sql: "SELECT name FROM player").sqlSubquery }

    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        let sql = "SELECT id, name FROM player ORDER BY id" + (singleResult ? " LIMIT 1" : "")
        log.append(sql)
        return PreparedRequest(statement: try db.cachedStatement(sql: sql), adapter: SuffixRowAdapter(fromIndex: 1))
    }

    func fetchCount(_ db: Database) throws -> Int { try Table("player").fetchCount(db) }
}

private struct CountsRequest: FetchRequest {
    typealias RowDecoder = Row

    var sqlSubquery: SQLSubquery { SQLRequest<Row>(sql: "SELECT 1 AS n").sqlSubquery }

    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        PreparedRequest(statement: try db.makeStatement(sql: "SELECT 1 AS n UNION ALL SELECT 2"))
    }

    func fetchCount(_ db: Database) throws -> Int { 2 }
}

/// Custom requests of applications have the methods of all requests.
@Suite struct FetchRequestTests {
    @Test func aRequestOfRowsWhereNoTypeIsSaid() throws {
        try withLeague { db in
            let request = SQLRequest(sql: "SELECT name FROM player WHERE id > ? ORDER BY id", arguments: [1])
            let rows: [Row] = try request.fetchAll(db)
            expectEqual(rows.map { $0["name"] as String }, ["Bob", "Cleo", "Dan"])
            expectEqual(try String.fetchOne(db, SQLRequest(literal: "SELECT name FROM player WHERE id = \(1)")), "Anna")
            try expectSQL(
                Player.filter {
                    $0.score == SQLRequest(sql: "SELECT MAX(score) FROM player WHERE id < ?", arguments: [3])
                },
                #"SELECT * FROM "player" WHERE "score" = (SELECT MAX(score) FROM player WHERE id < 3)"#)

            let adapter = SuffixRowAdapter(fromIndex: 1)
            expectEqual(try SQLRequest(sql: "SELECT 1, 2 AS n", adapter: adapter, cached: true).fetchOne(db), ["n": 2])

            // A type that is declared, or known from the context, is used.
            let scores: SQLRequest<Int> = SQLRequest(sql: "SELECT COUNT(*) FROM player")
            expectEqual(try scores.fetchOne(db), 4)
            expectEqual(try SQLRequest<String>(literal: "SELECT \("a")").fetchAll(db), ["a"])
            expectEqual(try SQLRequest<Row>(sql: "SELECT 1 AS a").fetchOne(db), ["a": 1])
        }
    }

    @Test func aRequestOfValues() throws {
        try withLeague { db in
            let names = try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
            let request = NamesRequest()
            expectEqual(try request.fetchAll(db), names)
            expectEqual(try request.fetchOne(db), names[0])
            expectEqual(try request.fetchSet(db), Set(names))
            expectEqual(try Array(request.fetchCursor(db)), names)
            expectEqual(try String.fetchAll(db, request), names)
            expectEqual(try AnyFetchRequest(request).fetchAll(db), names)
            expectEqual(try request.fetchCount(db), names.count)
            let many = "SELECT id, name FROM player ORDER BY id"
            #expect(request.log.statements == [many, many + " LIMIT 1", many, many, many, many])
        }
    }

    @Test func aRequestOfRows() throws {
        try withLeague { db in
            expectEqual(try CountsRequest().fetchAll(db), [["n": 1], ["n": 2]])
            expectEqual(try CountsRequest().fetchOne(db), ["n": 1])
            expectEqual(try Row.fetchSet(db, CountsRequest()), [["n": 1], ["n": 2]])
            expectEqual(try CountsRequest().adapted { _ in EmptyRowAdapter() }.fetchAll(db), [[:], [:]])
            expectEqual(try CountsRequest().makePreparedRequest(db, forSingleResult: false).adapter == nil, true)
        }
    }

    @Test func theRowsOfARequestAreCountedUnlessItSaysHow() throws {
        struct Names: FetchRequest {
            typealias RowDecoder = String

            let sql: String

            var sqlSubquery: SQLSubquery { SQLRequest<String>(sql: sql).sqlSubquery }

            func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
                PreparedRequest(statement: try db.makeStatement(sql: sql))
            }
        }
        try withLeague { db in
            let names = Names(sql: "SELECT DISTINCT name FROM player ORDER BY name LIMIT 3; -- not more")
            expectEqual(try names.fetchAll(db).count, 3)
            expectEqual(try names.fetchCount(db), 3)
            expectEqual(try AnyFetchRequest(names).fetchCount(db), 3)
        }
    }

    @Test func whatARequestReads() throws {
        try withLeague { db in
            expectEqual(try NamesRequest().databaseRegion(db).description, "player(id,name)")
            expectEqual(try CountsRequest().databaseRegion(db).isEmpty, true)
        }
    }

    @Test func aRequestAsAnExpression() throws {
        try withLeague { db in
            let count = try Table("player").filter(NamesRequest().contains(Column("name"))).fetchCount(db)
            expectEqual(count, try Table("player").filter(Column("name") != nil).fetchCount(db))
        }
    }
}
