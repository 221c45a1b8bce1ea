import Amalgam
import TestSupport
import Testing

private let onTeam = #""team"."id" = "player"."teamId""#
private let onPlayers = #""player"."teamId" = "team"."id""#
private let onAwards = #""award"."playerId" = "player"."id""#

@Suite("Joined associations")
struct JoinTests {
    @Test("six ways to join")
    func kinds() throws {
        try expectSQL(
            Player.joining(required: Player.team),
            #"SELECT "player".* FROM "player" JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.joining(optional: Player.team),
            #"SELECT "player".* FROM "player" LEFT JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.including(required: Player.team),
            #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.including(optional: Player.team),
            #"SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.annotated(withRequired: Player.team.select(Column.rowID)),
            #"SELECT "player".*, "team"."rowid" FROM "player" JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.annotated(withOptional: Player.team),
            #"SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Team.joining(required: Team.players),
            #"SELECT "team".* FROM "team" JOIN "player" ON \#(onPlayers)"#)
    }

    @Test("uses of one association are one join")
    func merging() throws {
        let (low, high) = (Player.team.filter { $0.id > 1 }, Player.team.filter { $0.id < 3 })
        try expectSQL(
            Player.joining(optional: Player.team).joining(required: Player.team),
            #"SELECT "player".* FROM "player" JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.including(optional: Player.team).joining(optional: Player.team),
            #"SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.joining(required: low).joining(required: high),
            #"SELECT "player".* FROM "player" JOIN "team" ON (\#(onTeam)) AND ("team"."id" > 1) AND ("team"."id" < 3)"#)
        try expectSQL(
            Player.including(required: Player.team.order(\.name)).including(required: Player.team.order(\.id)),
            #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam) ORDER BY "team"."id""#)
        try expectSQL(
            Player.including(required: Player.team.select(\.name)).joining(required: Player.team.select(\.id)),
            #"SELECT "player".*, "team"."name" FROM "player" JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.joining(required: Player.team.select(\.name)).including(required: Player.team),
            #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam)"#)
    }

    @Test("other names are other joins, with numbered aliases")
    func names() throws {
        try expectSQL(
            Player.including(required: Player.team).including(optional: Player.team.forKey("other")),
            """
            SELECT "player".*, "team1".*, "team2".* FROM "player" \
            JOIN "team" "team1" ON "team1"."id" = "player"."teamId" \
            LEFT JOIN "team" "team2" ON "team2"."id" = "player"."teamId"
            """)
        try expectSQL(
            Player.joining(required: Player.team.joining(required: Team.players.filter { $0.score > 10 })),
            """
            SELECT "player1".* FROM "player" "player1" JOIN "team" ON "team"."id" = "player1"."teamId" \
            JOIN "player" "player2" ON ("player2"."teamId" = "team"."id") AND ("player2"."score" > 10)
            """)
        try expectSQL(
            Player.including(required: Player.team.aliased(TableAlias(name: "t")).filter { $0.name != nil }),
            """
            SELECT "player".*, "t".* FROM "player" \
            JOIN "team" "t" ON ("t"."id" = "player"."teamId") AND ("t"."name" IS NOT NULL)
            """)
    }

    @Test("conditions of an association are in ON, those of the request in WHERE")
    func conditions() throws {
        let team = TableAlias<Team>()
        try expectSQL(
            Player.joining(optional: Player.team.filter(sql: "1 + 1")),
            #"SELECT "player".* FROM "player" LEFT JOIN "team" ON (\#(onTeam)) AND (1 + 1)"#)
        try expectSQL(
            Player.joining(optional: Player.team.aliased(team)).filter(team.name == nil),
            #"SELECT "player".* FROM "player" LEFT JOIN "team" ON \#(onTeam) WHERE "team"."name" IS NULL"#)
        try expectSQL(
            Player.joining(required: Player.team.filter(key: 1)),
            #"SELECT "player".* FROM "player" JOIN "team" ON (\#(onTeam)) AND ("team"."id" = 1)"#)
        try expectSQL(
            Player.joining(required: Player.team.aliased(team)).order { [team.name, $0.score.desc] },
            #"SELECT "player".* FROM "player" JOIN "team" ON \#(onTeam) ORDER BY "team"."name", "player"."score" DESC"#)
        try expectSQL(
            Player.filter { $0.id == 1 }.joining(required: Player.team),
            #"SELECT "player".* FROM "player" JOIN "team" ON \#(onTeam) WHERE "player"."id" = 1"#)
    }

    @Test("orders of all tables, in the order of the tables")
    func orders() throws {
        try expectSQL(
            Player.including(required: Player.team.orderByPrimaryKey()).orderByPrimaryKey(),
            #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam) ORDER BY "player"."id", "team"."id""#)
        try expectSQL(
            Player.including(required: Player.team.order(\.name)).order(\.name).reversed(),
            #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam) ORDER BY "player"."name" DESC, "team"."name" DESC"#
        )
        try expectSQL(
            Player.including(required: Player.team.order(\.name).reversed()).order(\.name),
            #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam) ORDER BY "player"."name", "team"."name" DESC"#
        )
        try expectSQL(
            Player.including(required: Player.team.order(\.name)).order(\.name).unordered(),
            #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam)"#)
        try expectSQL(
            Player.joining(required: Player.team.order(\.name)).order(\.name).withStableOrder(),
            #"SELECT "player".* FROM "player" JOIN "team" ON \#(onTeam) ORDER BY "player"."name", "player"."id", "team"."name", "team"."id""#
        )
    }

    @Test("a reversed request reverses the orders of its associations, also of those that are added later")
    func reversedOrders() throws {
        let head = #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON \#(onTeam)"#
        let team = Player.team.order { [$0.name, $0.id.desc] }
        let reversed = Player.order(\.id).reversed()
        try expectSQL(
            reversed.including(required: team),
            #"\#(head) ORDER BY "player"."id" DESC, "team"."name" DESC, "team"."id" ASC"#)
        try expectSQL(
            reversed.including(required: team).reversed(),
            #"\#(head) ORDER BY "player"."id", "team"."name", "team"."id" DESC"#)
        try expectSQL(
            Player.order(\.id).including(required: team).reversed(),
            #"\#(head) ORDER BY "player"."id" DESC, "team"."name" DESC, "team"."id" ASC"#)
        try expectSQL(
            Player.all().reversed().including(required: team), #"\#(head) ORDER BY "team"."name" DESC, "team"."id" ASC"#
        )
        try expectSQL(
            reversed.order(\.id).including(required: team),
            #"\#(head) ORDER BY "player"."id", "team"."name", "team"."id" DESC"#)
        try expectSQL(
            reversed.including(required: team.reversed()),
            #"\#(head) ORDER BY "player"."id" DESC, "team"."name", "team"."id" DESC"#)
    }

    @Test("a reversed association reverses the orders of the associations below it")
    func reversedAssociations() throws {
        let player = Award.player.order(\.score)
        let team = Player.team.order(\.id)
        func order(_ request: QueryInterfaceRequest<Award>) throws -> String {
            try withLeague { db in
                let sql = try request.makePreparedRequest(db, forSingleResult: false).statement.sql
                return sql.split(separator: " ORDER BY ").last.map { String($0) } ?? ""
            }
        }
        #expect(
            try order(Award.including(required: player.reversed().including(required: team)))
                == #""player"."score" DESC, "team"."id" DESC"#)
        #expect(
            try order(Award.including(required: player.reversed().including(required: team)).reversed())
                == #""player"."score", "team"."id""#)
        #expect(
            try order(Award.including(required: player.reversed().including(required: team.reversed())))
                == #""player"."score" DESC, "team"."id""#)
        #expect(
            try order(Award.including(required: Award.player.reversed().including(required: team)))
                == #""team"."id" DESC"#)
    }

    /// A part of a request: its order, and how often it is reversed before and after its order and the part below it.
    private struct ReversedPart {
        let order: [(column: String, isDescending: Bool)]?
        let reversals: (before: Int, between: Int, after: Int)

        init(_ columns: [String], _ generator: inout SeededGenerator) {
            order =
                Bool.random(using: &generator)
                ? nil : columns.shuffled(using: &generator).map { ($0, Bool.random(using: &generator)) }
            reversals = (
                Int.random(in: 0...2, using: &generator), Int.random(in: 0...2, using: &generator),
                Int.random(in: 0...2, using: &generator)
            )
        }

        /// An order replaces the earlier one, which is reversed or not.
        var isReversed: Bool {
            ((order == nil ? reversals.before : 0) + reversals.between + reversals.after) % 2 == 1
        }

        func apply<Part: DerivableRequest>(to part: Part, below: (Part) -> Part) -> Part {
            var part = part
            for _ in 0..<reversals.before { part = part.reversed() }
            if let order {
                let terms = order.map { $0.isDescending ? Column($0.column).desc : Column($0.column).sqlOrdering }
                part = part.order(terms as [any SQLOrderingTerm])
            }
            for _ in 0..<reversals.between { part = part.reversed() }
            part = below(part)
            for _ in 0..<reversals.after { part = part.reversed() }
            return part
        }

        func terms(_ table: String, isReversed: Bool) -> [String] {
            (order ?? []).map { column, isDescending in
                let suffix = isReversed ? (isDescending ? " ASC" : " DESC") : (isDescending ? " DESC" : "")
                return "\"\(table)\".\"\(column)\"\(suffix)"
            }
        }
    }

    @Test(
        "random reversals: a part is reversed if it and the parts above it are reversed an odd number of times",
        arguments: seeds(150))
    func randomReversals(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let parts = [["id", "title"], ["id", "name"], ["id", "name"]].map { ReversedPart($0, &generator) }
        try withLeague { db in
            let request = parts[0].apply(to: Award.all()) { award in
                award.including(
                    required: parts[1].apply(to: Award.player) { player in
                        player.including(required: parts[2].apply(to: Player.team) { $0 })
                    })
            }
            let sql = try request.makePreparedRequest(db, forSingleResult: false).statement.sql
            var isReversed = false
            let terms = zip(parts, ["award", "player", "team"]).flatMap { part, table in
                isReversed = isReversed != part.isReversed
                return part.terms(table, isReversed: isReversed)
            }
            let order = sql.split(separator: " ORDER BY ").dropFirst().joined()
            #expect(order == terms.joined(separator: ", "), "seed \(seed)")
        }
    }

    @Test("by way of another table: the steps merge with those of other associations")
    func through() throws {
        let joined =
            #"FROM "award" LEFT JOIN "player" ON "player"."id" = "award"."playerId" LEFT JOIN "team" ON \#(onTeam)"#
        let required = joined.replacing("LEFT JOIN", with: "JOIN")
        let mixed = #"FROM "award" JOIN "player" ON "player"."id" = "award"."playerId" LEFT JOIN "team" ON \#(onTeam)"#
        try expectSQL(
            Award.including(optional: Award.team),
            #"SELECT "award".*, "team".* \#(joined)"#)
        try expectSQL(
            Award.including(required: Award.team),
            #"SELECT "award".*, "team".* \#(required)"#)
        try expectSQL(
            Award.joining(required: Award.team),
            #"SELECT "award".* \#(required)"#)
        try expectSQL(
            Award.including(optional: Award.team).including(optional: Award.player),
            #"SELECT "award".*, "player".*, "team".* \#(joined)"#)
        try expectSQL(
            Award.including(optional: Award.team).joining(required: Award.player),
            #"SELECT "award".*, "team".* \#(mixed)"#)
        try expectSQL(
            Award.including(required: Award.team).including(optional: Award.player),
            #"SELECT "award".*, "player".*, "team".* \#(required)"#)
        try expectSQL(
            Award.annotated(withOptional: Award.team).including(optional: Award.player),
            #"SELECT "award".*, "team".*, "player".* \#(joined)"#)
        try expectSQL(
            Award.including(optional: Award.team).annotated(withRequired: Award.player.select(Column.rowID)),
            #"SELECT "award".*, "player"."rowid", "team".* \#(mixed)"#)
    }

    @Test("what SQL cannot say is an error")
    func whatCannotBeJoined() throws {
        let messages: [(any FetchRequest, String)] = [
            (
                Award.joining(optional: Award.player.including(required: Player.team)),
                "Not implemented: chaining a required association behind an optional association"
            ),
            (
                Player.joining(required: Player.team.distinct()),
                "Not implemented: join an association that selects DISTINCT rows"
            ),
            (
                Player.joining(required: Player.team.group(\.name)),
                "Not implemented: join an association with a GROUP BY clause"
            ),
        ]
        try withLeague { db in
            for (request, message) in messages {
                let error = #expect(throws: DatabaseError.self) { _ = try request.expandedSQL(db) }
                #expect(error?.message == message)
            }
            let player = TableAlias<Player>()
            let twice = Player.aliased(player).joining(
                required: Player.team.joining(required: Team.players.aliased(player)))
            let error = #expect(throws: DatabaseError.self) { _ = try twice.expandedSQL(db) }
            #expect(error?.message == "A TableAlias must not be used to refer to multiple tables")
        }
    }

    @Test("rows have a part for each association")
    func parts() throws {
        try withLeague { db in
            let request = Award.including(required: Award.player.including(optional: Player.team)).order(\.id)
            let row = try Row.fetchOne(db, request)
            #expect(row?.unscoped == ["id": 1, "playerId": 1, "title": "goal"])
            #expect(row?.scopes["player"]?.unscoped == ["id": 1, "name": "Anna", "score": 100, "teamId": 1])
            #expect(row?.scopesTree["team"] == ["id": 1, "name": "Reds", "color": "red"])

            let through = try Row.fetchOne(db, Award.including(required: Award.team).order(\.id))
            #expect(through?.scopes["player"]?.unscoped == [:])
            #expect(through?.scopes["player"]?.scopes["team"] == ["id": 1, "name": "Reds", "color": "red"])

            let joined = try Award.joining(required: Award.team).makePreparedRequest(db)
            #expect(joined.adapter == nil)
        }
    }

    @Test("the rows that an association reaches from one")
    func requestsForOneRow() throws {
        func request<A: Association>(_ association: A, _ values: [DatabaseValue]) -> QueryInterfaceRequest<A.RowDecoder>
        {
            QueryInterfaceRequest(for: association) { _ in values }
        }
        try expectSQL(
            request(Team.players, [1.databaseValue]),
            #"SELECT * FROM "player" WHERE "teamId" = 1"#)
        try expectSQL(
            request(Player.team, [1.databaseValue]),
            #"SELECT * FROM "team" WHERE "id" = 1"#)
        try expectSQL(
            request(Player.team, [.null]),
            #"SELECT * FROM "team" WHERE 0"#)
        try expectSQL(
            request(Award.team, [1.databaseValue]),
            #"SELECT "team".* FROM "team" JOIN "player" ON ("player"."teamId" = "team"."id") AND ("player"."id" = 1)"#)
        try expectSQL(
            request(Team.awards, [1.databaseValue]),
            #"SELECT "award".* FROM "award" JOIN "player" ON ("player"."id" = "award"."playerId") AND ("player"."teamId" = 1)"#
        )
        try expectSQL(
            request(Player.countries.order(\.name), [1.databaseValue]),
            """
            SELECT "country".* FROM "country" \
            JOIN "citizenship" ON ("citizenship"."countryCode" = "country"."code") AND ("citizenship"."playerId" = 1) \
            ORDER BY "country"."name"
            """)
    }

    @Test("foreign keys that the schema does not tell are an error")
    func foreignKeysThatAreNotKnown() throws {
        try withLeague { db in
            let error = #expect(throws: DatabaseError.self) {
                _ = try Country.joining(required: Country.hasMany(Team.self)).fetchCount(db)
            }
            #expect(
                error?.message
                    == "Could not infer foreign key from 'team' to 'country'. To fix this error, provide an explicit `ForeignKey` in the association definition."
            )
        }
    }
}
