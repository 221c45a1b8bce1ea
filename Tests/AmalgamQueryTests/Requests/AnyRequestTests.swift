import Amalgam
import Testing

/// Generates expressions and requests of any structure.
private struct Generator {
    var random: SeededRandom

    private mutating func number(below count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private var names: [String] { ["", "Anna", "O'Neil", "%_\\", "\"id\"", "é🎈", ");--"] }

    mutating func value() -> any SQLExpressible {
        switch number(below: 5) {
        case 0: number(below: 200)
        case 1: Double(number(below: 100)) / 8
        case 2: names[number(below: names.count)]
        case 3: number(below: 2) == 0
        default: DatabaseValue.null
        }
    }

    private mutating func column() -> SQLExpression {
        let columns = [Player.Columns.id, Player.Columns.name, Player.Columns.score, Player.Columns.teamId]
        return columns[number(below: columns.count)].sqlExpression
    }

    /// Returns an expression with at most this depth.
    mutating func expression(_ depth: Int) -> SQLExpression {
        if depth == 0 { return number(below: 3) == 0 ? value().sqlExpression : column() }
        switch number(below: 6) {
        case 0: return arithmetic(expression(depth - 1), expression(depth - 1))
        case 1: return comparison(expression(depth - 1), expression(depth - 1))
        case 2: return logic(expression(depth - 1), expression(depth - 1))
        case 3: return function(expression(depth - 1))
        case 4: return collection(expression(depth - 1), depth)
        default: return column()
        }
    }

    private mutating func arithmetic(_ a: SQLExpression, _ b: SQLExpression) -> SQLExpression {
        switch number(below: 8) {
        case 0: a + b
        case 1: a - b
        case 2: a * b
        case 3: a / b
        case 4: a & b
        case 5: a | b
        case 6: -a
        default: [a, b, column()].joined(operator: .concat)
        }
    }

    private mutating func comparison(_ a: SQLExpression, _ b: SQLExpression) -> SQLExpression {
        switch number(below: 8) {
        case 0: a == b
        case 1: a != b
        case 2: a === b
        case 3: a !== b
        case 4: a < b
        case 5: a >= b
        case 6: a == nil
        default: a.collating(.nocase) == b
        }
    }

    private mutating func logic(_ a: SQLExpression, _ b: SQLExpression) -> SQLExpression {
        switch number(below: 4) {
        case 0: a && b
        case 1: a || b
        case 2: !a
        default: a == true
        }
    }

    private mutating func function(_ a: SQLExpression) -> SQLExpression {
        switch number(below: 7) {
        case 0: abs(a)
        case 1: length(a)
        case 2: coalesce([a, column()])
        case 3: cast(a, as: .text)
        case 4: a ?? 0
        case 5: a.lowercased
        default: max(a, column())
        }
    }

    private mutating func collection(_ a: SQLExpression, _ depth: Int) -> SQLExpression {
        switch number(below: 5) {
        case 0: return (0..<number(below: 4)).map { $0 * 3 }.contains(a)
        case 1: return !names.prefix(number(below: 4)).contains(a)
        case 2: return (1...50).contains(a)
        case 3: return Player.filter(expression(depth - 1)).select(\.id).contains(a)
        default: return Award.filter { $0.playerId == 1 }.exists() && a
        }
    }

    /// Returns a request with some clauses.
    mutating func request() -> QueryInterfaceRequest<Player> {
        var request = Player.all()
        for _ in 0..<number(below: 6) { request = adding(to: request) }
        return request
    }

    private mutating func adding(to request: QueryInterfaceRequest<Player>) -> QueryInterfaceRequest<Player> {
        switch number(below: 15) {
        case 0, 1: return request.filter(expression(3))
        case 2: return request.order(expression(2), column().desc)
        case 3: return request.order(\.id).reversed()
        case 4: return request.limit(1 + number(below: 3), offset: number(below: 2))
        case 5: return request.annotated(with: expression(2).forKey("extra\(number(below: 3))"))
        case 6: return request.distinct()
        case 7: return request.including(optional: Player.team)
        case 8: return request.joining(required: Player.team.filter(Column("name") != ""))
        case 9: return request.including(required: Player.team.order(Column("name")))
        case 10: return request.including(all: Player.awards)
        case 11: return request.aliased(TableAlias(name: "p"))
        case 12: return request.annotated(with: Player.awards.count)
        case 13: return request.filter(keys: [1, 2, 3, 4])
        default: return request.joining(optional: Player.awards.filter(expressionOfAward()))
        }
    }

    private mutating func expressionOfAward() -> SQLExpression {
        [Column("title") == names[number(below: names.count)], Column("id") > number(below: 5)][number(below: 2)]
    }
}

@Suite("Requests of any shape")
struct AnyRequestTests {
    @Test("are compiled by SQLite, and counted as they are fetched", arguments: 0..<40 as Range<UInt64>)
    func anyRequest(seed: UInt64) throws {
        try withLeague { db in
            for part in 0..<25 as Range<UInt64> {
                var generator = Generator(random: SeededRandom(seed: seed * 1000 + part))
                let request = generator.request()
                let sql = try request.expandedSQL(db)
                let rows = try Row.fetchAll(db, request)
                let count = try request.fetchCount(db)
                #expect(count == rows.count, "\(sql)")
                let isEmpty = try request.isEmpty(db)
                #expect(isEmpty == rows.isEmpty, "\(sql)")
                let first = try Row.fetchOne(db, request)
                #expect((first == nil) == rows.isEmpty, "\(sql)")
                _ = try request.databaseRegion(db)
            }
        }
    }

    @Test("give the same with values bound and with values written", arguments: 0..<20 as Range<UInt64>)
    func literals(seed: UInt64) throws {
        try withLeague { db in
            for part in 0..<50 as Range<UInt64> {
                var generator = Generator(random: SeededRandom(seed: seed * 1000 + part))
                let expression = generator.expression(3)
                let literal = try expression.literalSQL(db)
                let bound = try expression.values(db)
                let written = try DatabaseValue.fetchAll(db, sql: "SELECT \(literal) FROM player ORDER BY id")
                #expect(bound == written, "\(literal)")
            }
        }
    }
}
