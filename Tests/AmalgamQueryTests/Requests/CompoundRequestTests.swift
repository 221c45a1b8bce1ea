import Amalgam
import TestSupport
import Testing

@Suite("Compound requests")
struct CompoundRequestTests {
    private let players = Player.select(\.name, as: String.self)
    private let teams = Team.select(\.name, as: String.self)

    @Test("operators, order, limit")
    func operators() throws {
        try expectSQL(
            players.union(teams),
            #"SELECT "name" FROM "player" UNION SELECT "name" FROM "team""#)
        try expectSQL(
            players.unionAll(teams).order(Column("name").desc).limit(2),
            #"SELECT "name" FROM "player" UNION ALL SELECT "name" FROM "team" ORDER BY "name" DESC LIMIT 2"#)
        try expectSQL(
            players.intersect(teams).except(teams),
            #"SELECT "name" FROM "player" INTERSECT SELECT "name" FROM "team" EXCEPT SELECT "name" FROM "team""#)
        try expectSQL(
            players.order(Column("name")).union(teams.limit(1)),
            #"SELECT "name" FROM "player" UNION SELECT * FROM (SELECT "name" FROM "team" LIMIT 1)"#)
    }

    @Test("rows")
    func rows() throws {
        try withLeague { db in
            let names = try players.union(teams).order(Column("name")).fetchAll(db)
            #expect(names == ["Anna", "Blues", "Bob", "Cleo", "Dan", "Greens", "Reds"])
            let count = try players.union(players).fetchCount(db)
            #expect(count == 4)
            let first = try players.union(teams).order(Column("name").desc).fetchOne(db)
            #expect(first == "Reds")
            let nested = try Player.filter { players.except(teams).contains($0.name) }.fetchCount(db)
            #expect(nested == 4)
        }
    }

    @Test("plain SQL is a subquery, so that it means the same as by itself")
    func plainSQL() throws {
        let numbers: SQLRequest<Int> = "VALUES (1), (2), (3)"
        try expectSQL(
            numbers.except("SELECT 1 UNION SELECT 2" as SQLRequest<Int>),
            "SELECT * FROM (VALUES (1), (2), (3)) EXCEPT SELECT * FROM (SELECT 1 UNION SELECT 2)")
        try withLeague { db in
            let best: SQLRequest<Int> = "SELECT score FROM player ORDER BY score DESC LIMIT 1"
            let requests: [(CompoundRequest<Int>, [Int])] = [
                (numbers.except("SELECT 1 UNION SELECT 2" as SQLRequest<Int>), [3]),
                (numbers.union("SELECT 4; -- the end" as SQLRequest<Int>), [1, 2, 3, 4]),
                (("SELECT 3 /* the end" as SQLRequest<Int>).union(numbers), [1, 2, 3]),
                (best.union(numbers), [1, 2, 3, 100]),
                (numbers.intersect("WITH x AS (SELECT 3) SELECT * FROM x;" as SQLRequest<Int>), [3]),
                (numbers.union("SELECT \(5) + length('; -- x')" as SQLRequest<Int>), [1, 2, 3, 11]),
            ]
            for (request, values) in requests {
                let fetched = try request.order(SQL("1")).fetchAll(db)
                #expect(fetched == values)
                let count = try request.fetchCount(db)
                #expect(count == values.count)
            }
        }
    }

    @Test("semicolons and comments at the end of plain SQL are left out of subqueries")
    func endOfPlainSQL() throws {
        try withLeague { db in
            for sql in ["SELECT 1 -- comment", "SELECT 1;", "SELECT 1 ; ; -- a\n /* b */ ;", "SELECT 1 /* open"] {
                let request = SQLRequest<Int>(sql: sql)
                let count = try request.fetchCount(db)
                #expect(count == 1, "\(sql)")
                let players = try Player.filter { request.contains($0.id) }.fetchCount(db)
                #expect(players == 1, "\(sql)")
                let cte = CommonTableExpression<Int>(named: "one", request: request)
                let value = try cte.all().with(cte).fetchOne(db)
                #expect(value == 1, "\(sql)")
            }
            // Text that isn't a comment is preserved.
            let texts: SQLRequest<String> = "SELECT '; --' AS [-- ;] WHERE '/*' = '/*'"
            let sql = try db.tracing { _ = try texts.fetchCount(db) }
            #expect(sql == ["SELECT COUNT(*) FROM (SELECT '; --' AS [-- ;] WHERE '/*' = '/*')"])
            // Several statements are an error, as without a request.
            #expect(throws: DatabaseError.self) {
                _ = try SQLRequest<Int>(sql: "SELECT 1; SELECT 2").fetchCount(db)
            }
        }
    }

    @Test("associations to one row are parts of the rows")
    func associations() throws {
        let players = Player.including(optional: Player.team)
        let request = players.filter { $0.score > 50 }.union(players.filter { $0.teamId == nil }).order(Column("id"))
        try withLeague { db in
            try expectQuery(db, request) {
                """
                SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" \
                WHERE "player"."score" > 50 UNION \
                SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" \
                WHERE "player"."teamId" IS NULL ORDER BY "id"
                """
            } rows: {
                """
                1|Anna|100|1
                  team: 1|Reds|red
                4|Dan|NULL|NULL
                  team: NULL|NULL|NULL
                """
            }
            let longer = try Row.fetchAll(db, players.filter(key: 3).union(AnyFetchRequest(request)))
            #expect(Set(longer.map { $0.scopes["team"]?["name"] as String? }) == ["Reds", "Blues", nil])
        }
    }

    @Test("different associations, and what a compound request can't do, are errors")
    func mistakes() throws {
        let (all, joined) = (Player.all(), Player.including(optional: Player.team))
        try withLeague { db in
            let different = """
                The requests of a compound request include different associations, or select different numbers of their \
                columns. Include the same associations in all of them.
                """
            let short = Player.select(id, name).including(optional: Player.team)
            expectError(.SQLITE_MISUSE, different) { _ = try Row.fetchAll(db, all.union(joined)) }
            expectError(.SQLITE_MISUSE, different) { _ = try Row.fetchAll(db, joined.union(short)) }
            expectError(.SQLITE_MISUSE, different) { _ = try Row.fetchAll(db, joined.union(joined).union(all)) }
            expectError(
                .SQLITE_MISUSE,
                "A compound request can't fetch associations to many. Remove including(all:) from its requests."
            ) { _ = try Row.fetchAll(db, all.union(all.including(all: Player.awards))) }
            let subquery = """
                The first request of a compound request includes associations, and is a subquery because of a limit, \
                common table expressions, or an order of several requests. A subquery changes the names of columns: \
                begin with another request.
                """
            expectError(.SQLITE_MISUSE, subquery) { _ = try Row.fetchAll(db, joined.limit(1).union(joined)) }
            let adapted = """
                A request of a compound request adapts its rows. Adapt those of the compound request, with its \
                adapted(_:) method.
                """
            let adapter = SuffixRowAdapter(fromIndex: 1)
            let rows = all.asRequest(of: Row.self)
            expectError(.SQLITE_MISUSE, adapted) { _ = try rows.union(rows.adapted { _ in adapter }).fetchAll(db) }
            expectError(.SQLITE_MISUSE, adapted) {
                _ = try rows.union(SQLRequest<Row>(sql: "SELECT * FROM player", adapter: adapter)).fetchAll(db)
            }
            let names = try rows.union(rows).adapted { _ in adapter }.fetchAll(db)
            #expect(names.map { $0.columnNames.first } == ["name", "name", "name", "name"])
        }
    }

    @Test("a subquery with associations may be another request than the first one")
    func associationsOfASubquery() throws {
        let players = Player.including(optional: Player.team)
        let request = players.filter(key: 1).union(players.filter(key: 3).limit(1))
        try withLeague { db in
            let rows = try Row.fetchAll(db, request)
            #expect(Set(rows.map { $0.scopes["team"]?["name"] as String? }) == ["Reds", "Blues"])
        }
    }
}
