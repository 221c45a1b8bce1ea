import Amalgam
import Testing

/// Generates requests whose rows are hard to count without fetching them.
private struct CountedRequests {
    var random: SeededRandom

    /// Whether plain SQL is selected: SQLite determines the number of its columns, and the request can't include
    /// associations.
    private var selectsSQL = false

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    private mutating func number(below count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func oneIn(_ count: Int) -> Bool { number(below: count) == 0 }

    mutating func request() -> any FetchRequest<Row> {
        switch number(below: 10) {
        case 0: return compound()
        case 1: return plainSQL()
        case 2: return commonTable()
        case 3: return AnyFetchRequest(players().asRequest(of: Row.self))
        case 4: return teams()
        default: return players().asRequest(of: Row.self)
        }
    }

    // MARK: Requests of a table

    private mutating func players() -> QueryInterfaceRequest<Player> {
        selectsSQL = false
        var request = selected(Player.all())
        if oneIn(3) { request = request.filter(condition()) }
        if oneIn(3) { request = joined(request) }
        if oneIn(4) { request = prefetched(request) }
        if oneIn(4) { request = grouped(request) }
        if oneIn(2) { request = request.distinct() }
        if oneIn(3) { request = ordered(request) }
        if oneIn(4) { request = request.limit(number(below: 5) - 1, offset: oneIn(2) ? number(below: 4) : nil) }
        if oneIn(6) { request = request.aliased(TableAlias(name: "p")) }
        return request
    }

    private mutating func selected(_ request: QueryInterfaceRequest<Player>) -> QueryInterfaceRequest<Player> {
        switch number(below: 20) {
        case 0: return request.select(id)
        case 1: return request.select(name)
        case 2: return request.select(score)
        case 3: return request.select([score, teamId])
        case 4: return request.select((score * 2).forKey("double"))
        case 5: return request.select(max(score))
        case 6: return request.select([max(score), teamId])
        case 7: return request.select(max(score) + id)
        case 8: return request.select(max(score) ?? id)
        case 9: return request.select(iif(count() > 3, then: "many", else: score))
        case 10: return request.select(Award.select(count(id)))
        case 11: return request.select(sum(score).over(partitionBy: teamId))
        case 12: return request.select(DatabaseFunction.median(score))
        case 13: return request.select(.allColumns(excluding: ["id", "name"]))
        case 14: return request.annotated(with: (score ?? 0).forKey("points"))
        case 15: return request.annotated(with: count())
        default: return selectedBySQL(request)
        }
    }

    private mutating func selectedBySQL(_ request: QueryInterfaceRequest<Player>) -> QueryInterfaceRequest<Player> {
        switch number(below: 5) {
        case 0: break
        case 1: selectsSQL = true
        case 2:
            selectsSQL = true
            return request.select(sql: "MAX(score)")
        case 3:
            selectsSQL = true
            return request.select(sql: "score, teamId")
        default: break
        }
        if selectsSQL { return request.annotated(with: SQL("COUNT(*) AS n")) }
        return oneIn(2) ? request : request.select([SQL("score + 1").sqlExpression, SQL("MIN(score)").sqlExpression])
    }

    private mutating func condition() -> SQLExpression {
        let conditions: [SQLExpression] = [
            score > 20, teamId == nil, [1, 2].contains(teamId), Player.select(max(score)).contains(score),
            Award.filter(Column("title") == "goal").exists(), id > 100, SQL("score IS NOT NULL").sqlExpression,
        ]
        return conditions[number(below: conditions.count)]
    }

    private mutating func joined(_ request: QueryInterfaceRequest<Player>) -> QueryInterfaceRequest<Player> {
        if selectsSQL {
            return oneIn(2) ? request.joining(required: Player.awards) : request.joining(optional: Player.awards)
        }
        switch number(below: 6) {
        case 0: return request.including(required: Player.awards)
        case 1: return request.including(optional: Player.team)
        case 2: return request.including(required: Player.team.select(max(Column("id"))))
        case 3: return request.joining(required: Player.team.filter(Column("color") != nil))
        case 4: return request.annotated(withOptional: Player.team.select(Column("color").forKey("teamColor")))
        default: return request.including(optional: Player.awards.order(Column("title")))
        }
    }

    private mutating func prefetched(_ request: QueryInterfaceRequest<Player>) -> QueryInterfaceRequest<Player> {
        oneIn(2) ? request.including(all: Player.awards) : request.including(all: Player.countries)
    }

    private mutating func grouped(_ request: QueryInterfaceRequest<Player>) -> QueryInterfaceRequest<Player> {
        switch number(below: 4) {
        case 0: return request.group(teamId)
        case 1: return request.group(teamId).having(count() > 1)
        case 2: return request.group(sql: "score % 2")
        default: return request.annotated(with: Player.awards.forKey("prizes").count)
        }
    }

    private mutating func ordered(_ request: QueryInterfaceRequest<Player>) -> QueryInterfaceRequest<Player> {
        switch number(below: 5) {
        case 0: return request.order(score.desc)
        case 1: return request.order(score ?? 0, id.desc)
        case 2: return request.order(sql: "abs(score)")
        case 3: return request.order(sql: "score")
        default: return request.orderByPrimaryKey().reversed()
        }
    }

    private mutating func teams() -> QueryInterfaceRequest<Row> {
        let color = Column("color")
        let players = Team.players.filter(condition(ofAssociation: ()))
        switch number(below: 6) {
        case 0: return Team.select(color).distinct().asRequest(of: Row.self)
        case 1: return Team.including(all: players).asRequest(of: Row.self)
        case 2: return Team.select(color).distinct().including(all: players).asRequest(of: Row.self)
        case 3: return Team.annotated(with: players.count).asRequest(of: Row.self)
        case 4: return Team.having(players.isEmpty == oneIn(2)).asRequest(of: Row.self)
        default: return Team.including(required: players.including(all: Player.awards)).asRequest(of: Row.self)
        }
    }

    private mutating func condition(ofAssociation: Void) -> SQLExpression { oneIn(2) ? score > 20 : score == nil }

    // MARK: Other requests

    private mutating func compound() -> any FetchRequest<Row> {
        let requests: [any FetchRequest<Row>] = [
            Player.select(score).asRequest(of: Row.self), Player.select(teamId).distinct().asRequest(of: Row.self),
            Player.select(score).order(score).limit(3).asRequest(of: Row.self),
            Player.select(max(score)).asRequest(of: Row.self),
            Team.select(Column("id")).asRequest(of: Row.self), plainSQL(), plainSQL(),
        ]
        return compound(requests[number(below: requests.count)], requests[number(below: requests.count)])
    }

    private mutating func compound(_ first: some FetchRequest<Row>, _ second: some FetchRequest<Row>)
        -> CompoundRequest<Row>
    {
        let compound =
            switch number(below: 4) {
            case 0: first.union(second)
            case 1: first.unionAll(second)
            case 2: first.intersect(second)
            default: first.except(second)
            }
        switch number(below: 4) {
        case 0: return compound.limit(number(below: 4), offset: 1)
        case 1: return compound.union(Player.select(id).asRequest(of: Row.self))
        default: return compound
        }
    }

    private mutating func plainSQL() -> SQLRequest<Row> {
        let requests: [SQLRequest<Row>] = [
            "SELECT score FROM player", "SELECT DISTINCT teamId FROM player;",
            "SELECT MAX(score) FROM player -- one row",
            "SELECT score FROM player ORDER BY score DESC LIMIT 3", "VALUES (1), (NULL), (30) /* three ;",
            "WITH x AS (SELECT 1 UNION SELECT 30) SELECT * FROM x ;; -- two rows",
            "SELECT 1 UNION SELECT 2", "SELECT \(30) AS \"-- a name\" ; ", "SELECT id FROM player WHERE name = '; --'",
        ]
        return requests[number(below: requests.count)]
    }

    private mutating func commonTable() -> QueryInterfaceRequest<Row> {
        let table = CommonTableExpression<Row>(named: "scores", request: Player.select(score))
        let request = table.all().with(table)
        switch number(below: 4) {
        case 0: return request.distinct()
        case 1: return request.select(score).distinct()
        case 2: return request.select(max(score))
        default: return Player.with(table).filter(table.contains(score)).asRequest(of: Row.self)
        }
    }
}

extension DatabaseFunction {
    /// An aggregate of the application.
    fileprivate static let median = DatabaseFunction("appMedian", argumentCount: 1, pure: true, aggregate: Median.self)

    private struct Median: DatabaseAggregate {
        private var values: [Int] = []

        mutating func step(_ arguments: [DatabaseValue]) {
            if let value = Int.fromDatabaseValue(arguments[0]) { values.append(value) }
        }

        func finalize() -> (any DatabaseValueConvertible)? { values.sorted().dropFirst(values.count / 2).first }
    }
}

@Suite("Requests of any shape are counted as they are fetched")
struct CountingOracleTests {
    @Test("fetchCount is the number of rows of fetchAll", arguments: 0..<50 as Range<UInt64>)
    func counts(seed: UInt64) throws {
        try withLeague { db in
            db.add(function: .median)
            try db.execute(
                sql: """
                    INSERT INTO player VALUES (5, 'Anna', NULL, 1), (6, 'Bob', 30, NULL), (7, 'Eve', 20, 2), (8, 'Eve', 20, 2);
                    INSERT INTO award VALUES (4, 5, 'goal'), (5, 7, NULL), (6, 7, 'goal');
                    """)
            for part in 0..<100 as Range<UInt64> {
                var requests = CountedRequests(seed: seed * 1000 + part)
                try expectCount(db, requests.request(), seed: seed * 1000 + part)
            }
        }
    }

    private func expectCount(_ db: Database, _ request: some FetchRequest<Row>, seed: UInt64) throws {
        do {
            let rows = try request.fetchAll(db)
            let count = try request.fetchCount(db)
            if count != rows.count {
                let sql = try request.expandedSQL(db)
                Issue.record("seed \(seed): \(count) counted, \(rows.count) fetched: \(sql)")
            }
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
    }
}
