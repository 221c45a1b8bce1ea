import Amalgam
import Testing

@Suite("The clauses of requests")
struct ClauseTests {
    @Test("conditions add up")
    func filters() throws {
        try expectSQL(
            Player.filter { $0.score > 10 },
            #"SELECT * FROM "player" WHERE "score" > 10"#)
        try expectSQL(
            Player.filter(true.databaseValue),
            #"SELECT * FROM "player" WHERE 1"#)
        try expectSQL(
            Player.filter(true.databaseValue).filter(false.databaseValue),
            #"SELECT * FROM "player" WHERE 1 AND 0"#)
        try expectSQL(
            Player.filter(sql: "id <> ?", arguments: [1]),
            #"SELECT * FROM "player" WHERE id <> 1"#)
        try expectSQL(
            Player.filter(sql: "id <> 1").filter(true.databaseValue),
            #"SELECT * FROM "player" WHERE (id <> 1) AND 1"#)
        try expectSQL(
            Player.filter(sql: "score > :min", arguments: ["min": 20]).filter(sql: "name = ?", arguments: ["x"]),
            #"SELECT * FROM "player" WHERE (score > 20) AND (name = 'x')"#)
        try expectSQL(
            Player.filter { $0.score > 10 }.filter { $0.name != nil },
            #"SELECT * FROM "player" WHERE ("score" > 10) AND ("name" IS NOT NULL)"#)
        try expectSQL(
            Player.none(),
            #"SELECT * FROM "player" WHERE 0"#)
        try expectSQL(
            Player.filter { $0.name == "x" }.none(),
            #"SELECT * FROM "player" WHERE ("name" = 'x') AND 0"#)
        try expectSQL(
            Player.all().filterWhenConnected { db in
                try db.tableExists("player") ? Column("id") == 1 : Column("id") == 2
            },
            #"SELECT * FROM "player" WHERE "id" = 1"#)
    }

    @Test("keys")
    func keys() throws {
        try expectSQL(
            Player.filter(key: 1),
            #"SELECT * FROM "player" WHERE "id" = 1"#)
        try expectSQL(
            Player.filter(keys: [1, 2, 3]),
            #"SELECT * FROM "player" WHERE "id" IN (1, 2, 3)"#)
        try expectSQL(
            Player.filter(keys: [] as [Int]),
            #"SELECT * FROM "player" WHERE 0"#)
        try expectSQL(
            Player.filter(key: nil as Int?),
            #"SELECT * FROM "player" WHERE 0"#)
        try expectSQL(
            Player.filter(key: ["id": 1]),
            #"SELECT * FROM "player" WHERE "id" = 1"#)
        try expectSQL(
            Citizenship.filter(key: ["countryCode": "FR", "playerId": 1]),
            #"SELECT * FROM "citizenship" WHERE ("playerId" = 1) AND ("countryCode" = 'FR')"#)
        try expectSQL(
            Player.filter(keys: [["id": 1], ["id": 2]]),
            #"SELECT * FROM "player" WHERE ("id" = 1) OR ("id" = 2)"#)
        try expectSQL(
            Player.filter(keys: [] as [[String: Int]]),
            #"SELECT * FROM "player" WHERE 0"#)
        try expectSQL(
            Player.filter(id: 1),
            #"SELECT * FROM "player" WHERE "id" = 1"#)
        try expectSQL(
            Player.filter(ids: [1, 2]),
            #"SELECT * FROM "player" WHERE "id" IN (1, 2)"#)
    }

    @Test("keys that do not tell rows apart are an error")
    func wrongKeys() throws {
        try withLeague { db in
            let name = #expect(throws: DatabaseError.self) { _ = try Player.filter(key: ["name": "x"]).fetchCount(db) }
            #expect(name?.message == "table player has no unique key on column(s) name")
            let composite = #expect(throws: DatabaseError.self) { _ = try Citizenship.filter(key: 1).fetchCount(db) }
            #expect(
                composite?.message?.hasPrefix(
                    "Filtering by primary key requires a single-column primary key in the table 'citizenship'") == true)
            let view = #expect(throws: DatabaseError.self) { _ = try Table("champion").filter(key: 1).fetchCount(db) }
            #expect(view?.message == "database view champion has no primary key")
        }
    }

    @Test("groups: the last grouping counts, conditions on groups add up")
    func groups() throws {
        try expectSQL(
            Player.select(\.teamId).group { [$0.teamId, $0.name] },
            #"SELECT "teamId" FROM "player" GROUP BY "teamId", "name""#)
        try expectSQL(
            Player.select(\.teamId).group(\.name).group(\.teamId),
            #"SELECT "teamId" FROM "player" GROUP BY "teamId""#)
        try expectSQL(
            Player.select(\.teamId).group(\.teamId).having { min($0.score) > 18 }.having { max($0.score) < 50 },
            #"SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING (MIN("score") > 18) AND (MAX("score") < 50)"#)
        try expectSQL(
            Player.select(\.teamId).group(sql: "teamId + ?, lower(name)", arguments: [1])
                .having(sql: "min(score) > ?", arguments: [18]),
            #"SELECT "teamId" FROM "player" GROUP BY teamId + 1, lower(name) HAVING min(score) > 18"#)
        try expectSQL(
            Player.all().groupByPrimaryKey(),
            #"SELECT * FROM "player" GROUP BY "id""#)
    }

    @Test("orders: the last one counts; they turn around")
    func orders() throws {
        try expectSQL(
            Player.order(\.score),
            #"SELECT * FROM "player" ORDER BY "score""#)
        try expectSQL(
            Player.order(\.score.desc),
            #"SELECT * FROM "player" ORDER BY "score" DESC"#)
        try expectSQL(
            Player.order { [$0.score.ascNullsLast, $0.name.descNullsFirst] },
            #"SELECT * FROM "player" ORDER BY "score" ASC NULLS LAST, "name" DESC NULLS FIRST"#)
        try expectSQL(
            Player.order(\.name).order(\.score),
            #"SELECT * FROM "player" ORDER BY "score""#)
        try expectSQL(
            Player.order(sql: "lower(name) desc"),
            #"SELECT * FROM "player" ORDER BY lower(name) desc"#)
        try expectSQL(
            Player.all().reversed(),
            #"SELECT * FROM "player""#)
        try expectSQL(
            Player.order { [$0.score, $0.name.asc, $0.id.desc] }.reversed(),
            #"SELECT * FROM "player" ORDER BY "score" DESC, "name" DESC, "id" ASC"#)
        try expectSQL(
            Player.order { [$0.score.ascNullsLast, $0.name.descNullsFirst] }.reversed(),
            #"SELECT * FROM "player" ORDER BY "score" DESC NULLS FIRST, "name" ASC NULLS LAST"#)
        try expectSQL(
            Player.order { [$0.score, $0.name] }.reversed().reversed(),
            #"SELECT * FROM "player" ORDER BY "score", "name""#)
        try expectSQL(
            Player.order { $0.name.collating(.nocase) }.reversed(),
            #"SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE DESC"#)
        try expectSQL(
            Player.order(\.name).unordered(),
            #"SELECT * FROM "player""#)
        try expectSQL(
            Player.orderByPrimaryKey(),
            #"SELECT * FROM "player" ORDER BY "id""#)
        try expectSQL(
            Citizenship.orderByPrimaryKey(),
            #"SELECT * FROM "citizenship" ORDER BY "playerId", "countryCode""#)
        try expectSQL(
            Player.all().withStableOrder(),
            #"SELECT * FROM "player" ORDER BY "id""#)
        try expectSQL(
            Player.order(\.score).withStableOrder(),
            #"SELECT * FROM "player" ORDER BY "score", "id""#)
        try expectSQL(
            Table("champion").all().withStableOrder(),
            #"SELECT * FROM "champion" ORDER BY 1, 2"#)
        try expectSQL(
            Table("champion").order(Column("name")).withStableOrder(),
            #"SELECT * FROM "champion" ORDER BY "name", 1, 2"#)
    }

    @Test("limits: the last one counts")
    func limits() throws {
        try expectSQL(
            Player.limit(1),
            #"SELECT * FROM "player" LIMIT 1"#)
        try expectSQL(
            Player.limit(1, offset: 2),
            #"SELECT * FROM "player" LIMIT 1 OFFSET 2"#)
        try expectSQL(
            Player.limit(1, offset: 2).limit(3),
            #"SELECT * FROM "player" LIMIT 3"#)
    }

    @Test("an alias with a name shows, one without does not")
    func aliases() throws {
        let player = TableAlias<Player>()
        try expectSQL(
            Player.all().aliased(TableAlias(name: "p")).filter { $0.score > 10 }.order(\.name),
            #"SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10 ORDER BY "p"."name""#)
        try expectSQL(
            Player.filter(sql: "p.score > 10").aliased(TableAlias(name: "p")),
            #"SELECT "p".* FROM "player" "p" WHERE p.score > 10"#)
        try expectSQL(
            Player.aliased(player).filter(player.score > 10),
            #"SELECT * FROM "player" WHERE "score" > 10"#)
        try expectSQL(
            Player.aliased(player).filter(Award.filter { $0.playerId == player.id }.exists()),
            #"SELECT * FROM "player" WHERE EXISTS (SELECT * FROM "award" WHERE "playerId" = "player"."id")"#)
        try expectSQL(
            Player.annotated { ($0.score + 1).forKey("next") }.order(Column("next").detached)
                .aliased(TableAlias(name: "p")),
            #"SELECT "p".*, "p"."score" + 1 AS "next" FROM "player" "p" ORDER BY "next""#)
    }

    @Test("an alias of no table is an error")
    func anAliasOfNoTable() throws {
        let stranger = TableAlias<Team>()
        try withLeague { db in
            let error = #expect(throws: DatabaseError.self) {
                _ = try Player.filter(stranger.name == "x").fetchCount(db)
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }
}
