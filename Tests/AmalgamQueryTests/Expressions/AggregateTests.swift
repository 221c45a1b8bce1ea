import Amalgam
import AmalgamCore
import Testing

/// Aggregates and window functions.
struct AggregateTests {
    @Test func aggregates() throws {
        try expectExpression(min(score), #"MIN("score")"#)
        try expectExpression(max(score), #"MAX("score")"#)
        try expectExpression(count(score), #"COUNT("score")"#)
        try expectExpression(count(score ?? 0), #"COUNT(IFNULL("score", 0))"#)
        try expectExpression(count(distinct: score), #"COUNT(DISTINCT "score")"#)
        try expectExpression(count(distinct: score / score), #"COUNT(DISTINCT "score" / "score")"#)
        try expectExpression(count(), "COUNT(*)")
        try expectExpression(average(score), #"AVG("score")"#)
        try expectExpression(sum(score), #"SUM("score")"#)
        try expectExpression(sum(score / 2), #"SUM("score" / 2)"#)
        try expectExpression(total(score), #"TOTAL("score")"#)
        try expectExpression(median(score), #"MEDIAN("score")"#)
        try expectExpression(percentile(score, 90), #"PERCENTILE("score", 90)"#)
    }

    @Test func filters() throws {
        let filter = score > 20
        try expectExpression(average(score, filter: filter), #"AVG("score") FILTER (WHERE "score" > 20)"#)
        try expectExpression(min(score, filter: filter), #"MIN("score") FILTER (WHERE "score" > 20)"#)
        try expectExpression(max(score, filter: filter), #"MAX("score") FILTER (WHERE "score" > 20)"#)
        try expectExpression(sum(score, filter: filter), #"SUM("score") FILTER (WHERE "score" > 20)"#)
        try expectExpression(total(score, filter: filter), #"TOTAL("score") FILTER (WHERE "score" > 20)"#)
        try expectExpression(count(name, filter: filter), #"COUNT("name") FILTER (WHERE "score" > 20)"#)
        try expectExpression(count(filter: filter), #"COUNT(*) FILTER (WHERE "score" > 20)"#)
        try expectExpression(
            count(distinct: name, filter: filter), #"COUNT(DISTINCT "name") FILTER (WHERE "score" > 20)"#)
    }

    @Test func orders() throws {
        try expectExpression(sum(score / 2, orderBy: score.desc), #"SUM("score" / 2 ORDER BY "score" DESC)"#)
        try expectExpression(
            sum(score, orderBy: score, filter: score > 0), #"SUM("score" ORDER BY "score") FILTER (WHERE "score" > 0)"#)
        try expectExpression(total(score, orderBy: id), #"TOTAL("score" ORDER BY "id")"#)
        try expectExpression(
            total(score, orderBy: id.desc, filter: score > 0),
            #"TOTAL("score" ORDER BY "id" DESC) FILTER (WHERE "score" > 0)"#)
    }

    @Test func values() throws {
        let row = Player.select(
            count(), count(score), average(score), min(score), max(score), sum(score), total(score), median(score),
            percentile(score, 100), groupConcat(name, separator: "/", orderBy: name.desc, filter: score != nil))
        try withLeague { db in
            let row = try #require(try row.asRequest(of: Row.self).fetchOne(db))
            let values: [any DatabaseValueConvertible] = [
                4, 3, 50.0, 20, 100, 150, 150.0, 30.0, 100.0, "Cleo/Bob/Anna",
            ]
            #expect(Array(row.databaseValues) == values.map(\.databaseValue))
        }
        try expectExpression(groupConcat(name), #"GROUP_CONCAT("name")"#)
    }

    // MARK: Windows

    @Test func windows() throws {
        try expectExpression(count().over(), "COUNT(*) OVER ()")
        try expectExpression(
            sum(score).over(partitionBy: teamId, orderBy: score.desc, name),
            #"SUM("score") OVER (PARTITION BY "teamId" ORDER BY "score" DESC, "name")"#)
        try expectExpression(
            sum(score, filter: score > 1).over(partitionBy: teamId, score % 2) + 1,
            #"SUM("score") FILTER (WHERE "score" > 1) OVER (PARTITION BY "teamId", "score" % 2) + 1"#)
        try expectValues(sum(score).over(partitionBy: teamId), [120, 120, 30, nil])
        try expectValues(rank().over(orderBy: score.desc), [1, 3, 2, 4])
    }

    @Test func sharedWindows() throws {
        let window = SQLWindow(partitionBy: teamId, orderBy: score.desc)
        try expectExpression(
            rank().over(window), #"RANK() OVER (PARTITION BY "teamId" ORDER BY "score" DESC)"#)
        let columns: [any SQLExpressible] = [teamId]
        try expectExpression(
            max(score).over(SQLWindow(partitionBy: columns, orderBy: [])), #"MAX("score") OVER (PARTITION BY "teamId")"#
        )
    }

    @Test func windowFunctions() throws {
        let calls: [(SQLWindowFunction, String, [(any DatabaseValueConvertible)?])] = [
            (rowNumber(), "ROW_NUMBER()", [1, 2, 3, 4]), (rank(), "RANK()", [1, 2, 3, 4]),
            (denseRank(), "DENSE_RANK()", [1, 2, 3, 4]),
            (percentRank(), "PERCENT_RANK()", [0.0, 1.0 / 3, 2.0 / 3, 1.0]),
            (cumulativeDistribution(), "CUME_DIST()", [0.25, 0.5, 0.75, 1.0]), (ntile(2), "NTILE(2)", [1, 1, 2, 2]),
            (lag(name), #"LAG("name")"#, [nil, "Anna", "Bob", "Cleo"]),
            (lag(name, 2), #"LAG("name", 2, NULL)"#, [nil, nil, "Anna", "Bob"]),
            (lag(name, 2, default: "?"), #"LAG("name", 2, '?')"#, ["?", "?", "Anna", "Bob"]),
            (lead(name), #"LEAD("name")"#, ["Bob", "Cleo", "Dan", nil]),
            (lead(name, 3, default: id), #"LEAD("name", 3, "id")"#, ["Dan", 2, 3, 4]),
            (firstValue(name), #"FIRST_VALUE("name")"#, ["Anna", "Anna", "Anna", "Anna"]),
            (lastValue(name), #"LAST_VALUE("name")"#, ["Anna", "Bob", "Cleo", "Dan"]),
            (nthValue(name, 2), #"NTH_VALUE("name", 2)"#, [nil, "Bob", "Bob", "Bob"]),
        ]
        for (call, sql, values) in calls {
            try expectExpression(call.over(orderBy: id), sql + #" OVER (ORDER BY "id")"#)
            try expectValues(call.over(orderBy: id), values)
        }
    }

    @Test func frames() throws {
        let frames: [(SQLWindowFrame, String, [Int])] = [
            (.rows(), "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", [1, 2, 3, 4]),
            (.rows(from: .preceding(1), to: .following(1)), "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", [2, 3, 3, 2]),
            (
                .rows(from: .currentRow, to: .unboundedFollowing),
                "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", [4, 3, 2, 1]
            ),
            (.range(from: .preceding(1)), "RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", [1, 2, 2, 2]),
            (
                .groups(from: .unboundedPreceding, to: .unboundedFollowing, excluding: .currentRow),
                "GROUPS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW", [3, 3, 3, 3]
            ),
            (
                .groups(excluding: .group),
                "GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP", [0, 1, 2, 3]
            ),
            (.rows(excluding: .ties), "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES", [1, 2, 3, 4]),
        ]
        for (frame, sql, counts) in frames {
            try expectExpression(count().over(orderBy: id, frame: frame), #"COUNT(*) OVER (ORDER BY "id" \#(sql))"#)
            try expectValues(count().over(orderBy: id, frame: frame), counts)
        }
    }

    /// SQLite 3.53.4 returns a string of one zero byte: see vendor/sqlite/sqlite.patch.
    @Test func emptyStringsAreConcatenatedToAnEmptyString() throws {
        try withLeague { db in
            let frame = SQLWindowFrame.rows(from: .currentRow, to: .currentRow)
            let empty = groupConcat("".sqlExpression).over(orderBy: id, frame: frame)
            try expectEqual(Player.select(SQLFunction.hex(empty), as: String.self).fetchAll(db), ["", "", "", ""])
        }
    }

    /// SQLite 3.53.4 concatenates the names of the players: see vendor/sqlite/sqlite.patch.
    @Test func anAggregateIsSortedByAColumnOfAnotherTable() throws {
        try withLeague { db in
            let team = TableAlias()
            let names = groupConcat(team["name"], orderBy: name)
            let request = Player.joining(required: Player.team.aliased(team)).select(names, as: String.self)
            try expectEqual(request.fetchOne(db), "Reds,Reds,Blues")
        }
    }

    @Test func onlyCallsHaveAWindow() throws {
        try withLeague { db in
            for expression in [(score + 1).over(), score.sqlExpression.over(), (-sum(score)).over(orderBy: id)] {
                expectError(
                    .SQLITE_MISUSE,
                    "over(…) needs a call of an aggregate or window function, such as sum(…).over(…)"
                ) {
                    _ = try Player.select(expression).asRequest(of: Row.self).fetchAll(db)
                }
            }
            let literal: SQL = "COUNT(*)"
            let values = try literal.sqlExpression.over().values(db)
            #expect(values == Array(repeating: 4.databaseValue, count: 4))
        }
    }

    @Test func windowsOfAggregatesInSwift() throws {
        struct Longest: DatabaseAggregate {
            var longest = ""
            mutating func step(_ dbValues: [DatabaseValue]) {
                let text = String.fromDatabaseValue(dbValues[0]) ?? ""
                if text.count > longest.count { longest = text }
            }
            func finalize() -> (any DatabaseValueConvertible)? { longest }
        }
        try withLeague { db in
            let longest = DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self)
            db.add(function: longest)
            let names = try Player.select(longest(name), as: String.self).fetchAll(db)
            #expect(names == ["Anna"])
        }
    }
}
