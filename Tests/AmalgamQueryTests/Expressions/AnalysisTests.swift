import Amalgam
@testable import AmalgamQuery
import AmalgamCore
import TestSupport
import Testing

/// The properties of expressions, in addition to their SQL.
struct AnalysisTests {
    private let other = TableAlias<Team>()

    private func withTable(_ test: (IdentifiedTable) throws -> Void) throws {
        try withLeague { db in
            try test(IdentifiedTable(db: db, source: TableSource(name: "player"), aliases: []))
        }
    }

    // MARK: Columns

    @Test func columns() throws {
        try withTable { table in
            let exact: [SQLExpression] = [
                name.sqlExpression, [name].joined(operator: .and), name.collating(.nocase),
                SQLRowValue(name).sqlExpression,
            ]
            for expression in exact {
                #expect(expression.column(in: table)?.name == TableName("name"))
                #expect(expression.column(in: table)?.isExact == true)
            }
            let bijective: [SQLExpression] = [
                -name, [-name].joined(operator: .add), SQLRowValue(-name).sqlExpression, name ?? "x",
                [name, "x".databaseValue as any SQLExpressible].joined(operator: .concat),
            ]
            for expression in bijective {
                #expect(expression.column(in: table)?.name == TableName("name"))
                #expect(expression.column(in: table)?.isExact == false)
            }
            let neither: [SQLExpression] = [
                other[name], 1.sqlExpression, score + 1, score * 1, score - 1, score + id, score < 1, score == 1,
                !score, (1...2).contains(score), [1, 2].contains(score), length(name), count(score),
                SQL("name").sqlExpression, SQLRowValue(name, score).sqlExpression, ~score, name ?? score,
            ]
            for expression in neither { #expect(expression.column(in: table) == nil) }
        }
    }

    @Test func fixedColumns() throws {
        try withTable { table in
            let fixed: [SQLExpression] = [
                name == 1, 1 == name, name === 1, name == nil, -name == 1, (name == 1).collating(.nocase),
                SQLRowValue(name) == 1, name == 1 && score > 1, name == 1 && other[score] == 1, [1].contains(name),
                name == abs(1.databaseValue),
            ]
            for condition in fixed {
                let found = try condition.fixedColumns(in: table)
                #expect(found == [TableName("name")])
            }
            let both: [SQLExpression] = [
                name == 1 && score == 2, SQLRowValue(name, score) == SQLRowValue(1, 2),
                SQLRowValue(name, score) === SQLRowValue(1, 2),
            ]
            for condition in both {
                try expectEqual(condition.fixedColumns(in: table), [TableName("name"), TableName("score")])
            }
            let none: [SQLExpression] = [
                name == 1 || score == 2, name != 1, name > 1, name < 1, name == score, score * 2 == 1, score + 2 == 1,
                [1, 2].contains(score), (1...2).contains(score), score.sqlExpression, length(name), !(name == 1),
                SQLRowValue(name, score) != SQLRowValue(1, 2),
            ]
            for condition in none {
                let found = try condition.fixedColumns(in: table)
                #expect(found == [])
            }
        }
    }

    // MARK: Rows

    @Test func rowIDs() throws {
        try withTable { table in
            let known: [(SQLExpression, Set<Int64>)] = [
                (id == 1, [1]), (1 == id, [1]), (id === 1, [1]), (Column.rowID == 1, [1]), (id == nil, []),
                (nil === id, []), ([1, 2, 3].contains(id), [1, 2, 3]), ([1, nil].contains(id), [1]),
                ([Int]().contains(name), []), (SQLArray([1, 2]).contains(id), [1, 2]),
                (id == 1 && name == "x", [1]), (id == 1 && id == 2, []), (id == 1 || Column.rowID == 2, [1, 2]),
                ([1, 2, 3].contains(id) && [2, 3, 4].contains(Column.rowID), [2, 3]),
                ([1, 2, 3].contains(id) || [2, 3, 4].contains(Column.rowID), [1, 2, 3, 4]),
            ]
            for (condition, rowIDs) in known {
                let found = try condition.rowIDs(in: table)
                #expect(found == rowIDs)
            }
            let unknown: [SQLExpression] = [
                (id + 1) == 2, [1, 2].contains(id + 1), other[id] == 1, (1...2).contains(id), -id == 1, id != 1,
                ![1, 2].contains(id), ![Int]().contains(id), id == 1 || name == "x", id == "1", name == 1,
                [1.5, 2].contains(id), Player.select(id).contains(id), id == Player.select(id), score + 1,
            ]
            for condition in unknown {
                let found = try condition.rowIDs(in: table)
                #expect(found == nil)
            }
        }
    }

    @Test func regions() throws {
        try withLeague { db in
            let regions: [(QueryInterfaceRequest<Player>, String)] = [
                (Player.filter(id >= 1), "player(id,name,score,teamId)"),
                (Player.filter([1, 2].contains(id)), "player(id,name,score,teamId)[1,2]"),
                (Player.filter(id == 1 && score > 2), "player(id,name,score,teamId)[1]"),
                (Player.filter([Int]().contains(score)), "empty"), (Player.filter(id == nil), "empty"),
            ]
            for (request, region) in regions {
                let found = try request.databaseRegion(db).description
                #expect(found == region)
            }
        }
    }

    // MARK: Constants and aggregates

    @Test func constants() throws {
        let one = 1.databaseValue
        let constants: [SQLExpression] = [
            one.sqlExpression, one + 1, one - 1, one == 1, !one, -one, ~one, one.collating(.nocase),
            (1...2).contains(one),
            [1, 2].contains(one), [Int]().contains(score), abs(one), cast(one, as: .text),
            SQLRowValue(1, 2).sqlExpression,
            one ?? 2, iif(one, then: 1, else: 2), SQLCase(when: one, then: 1).else(2), one.like("x"), one < 2,
            [SQLExpression]().joined(operator: .and), SQLArray([1]).contains(one), min(one, 2), one.uppercased,
        ]
        for expression in constants { #expect(expression.isConstant) }
        let others: [SQLExpression] = [
            score.sqlExpression, score + 1, other[score], !score, count(one), count(), SQL("1").sqlExpression,
            abs(score),
            [1, 2].contains(score), [score, id].contains(one), Player.all().contains(one), Player.all().exists(),
            iif(one, then: score, else: 1), SQLCase(when: one, then: 1).else(score), sum(one).over(),
            dateTime("now".databaseValue), SQLFunction("random")(), rank().over(),
        ]
        for expression in others { #expect(!expression.isConstant) }
    }

    @Test func aggregates() throws {
        let aggregates: [SQLExpression] = [
            max(score), max(score) + 1, max(score) - min(score), !(max(score) == 1), abs(max(score)), -count(),
            iif(max(score) > 1, then: 1, else: 2), cast(sum(score), as: .text), [1, 2].contains(count()),
            SQLCase(when: max(score), then: 1).else(min(score)), (1...2).contains(count()), max(score) ?? 0,
        ]
        for expression in aggregates { #expect(expression.isAggregate) }
        let others: [SQLExpression] = [
            score.sqlExpression, max(score) + score, abs(score), 1.sqlExpression, sum(score).over(), max(score, 1),
            iif(max(score), then: score, else: 1), Player.select(max(score)).sqlExpression,
        ]
        for expression in others { #expect(!expression.isAggregate) }
    }
}
