import Amalgam
import TestSupport
import Testing

private struct Club: TableRecord {
    static let homeGames = hasMany(Game.self, using: ForeignKey(["homeId"]))
    static let awayGames = hasMany(Game.self, using: ForeignKey(["awayId"]))
    static let homeStadiums = hasMany(Stadium.self, through: homeGames, using: Game.stadium)
    static let awayStadiums = hasMany(Stadium.self, through: awayGames, using: Game.stadium)
}

private struct Stadium: TableRecord {}

private struct Game: TableRecord {
    static let home = belongsTo(Club.self, using: ForeignKey(["homeId"]))
    static let away = belongsTo(Club.self, using: ForeignKey(["awayId"]))
    static let stadium = belongsTo(Stadium.self)
}

private func withGames(_ test: (Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
        try db.execute(
            sql: """
                CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE stadium (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE game (
                    id INTEGER PRIMARY KEY, homeId INTEGER REFERENCES club(id), awayId INTEGER REFERENCES club(id),
                    stadiumId INTEGER REFERENCES stadium(id));
                INSERT INTO club VALUES (1, 'Reds'), (2, 'Blues');
                INSERT INTO stadium VALUES (1, 'Old');
                INSERT INTO game VALUES (1, 1, 2, 1), (2, 2, 1, NULL);
                """)
        try test(db)
    }
}

@Suite("Associations of one key")
struct AssociationKeyTests {
    private func message(key: String) -> String {
        """
        Two associations of one request have the key "\(key)" and join different rows: game(homeId) → club(id), and \
        game(awayId) → club(id). Give one of them another key with the forKey(_:) method.
        """
    }

    @Test("with different foreign keys are an error that names both")
    func differentForeignKeys() throws {
        let (home, away) = (Game.home.filter(name == "Reds"), Game.away.filter(name == "Blues"))
        try withGames { db in
            for request in [
                Game.including(required: home).including(required: away),
                Game.joining(required: home).joining(optional: away),
                Game.including(optional: home).annotated(withRequired: away),
            ] {
                expectError(.SQLITE_MISUSE, message(key: "club")) { _ = try Row.fetchAll(db, request) }
                expectError(.SQLITE_MISUSE, message(key: "club")) { _ = try request.fetchCount(db) }
                expectError(.SQLITE_MISUSE, message(key: "club")) { _ = try request.databaseRegion(db) }
                expectError(.SQLITE_MISUSE, message(key: "club")) { _ = try request.deleteAll(db) }
            }
        }
    }

    @Test("with different foreign keys are an error also where their rows are fetched by statements of their own")
    func differentForeignKeysToMany() throws {
        let request = Club.including(all: Club.homeGames).including(all: Club.awayGames)
        try withGames { db in
            expectError(.SQLITE_MISUSE, message(key: "games")) { _ = try Row.fetchAll(db, request) }
            expectError(.SQLITE_MISUSE, message(key: "games")) { _ = try request.databaseRegion(db) }
        }
    }

    @Test("with different foreign keys are an error of aggregates as well")
    func differentForeignKeysOfAggregates() throws {
        let request = Club.annotated(with: Club.homeGames.count, Club.awayGames.count)
        try withGames { db in
            expectError(.SQLITE_MISUSE, message(key: "game")) { _ = try Row.fetchAll(db, request) }
        }
    }

    @Test("with different foreign keys are an error on the way to another table as well")
    func differentForeignKeysOnTheWay() throws {
        let request = Club.including(all: Club.homeStadiums).including(all: Club.awayStadiums.forKey("others"))
        try withGames { db in
            let error = #expect(throws: DatabaseError.self) { _ = try Row.fetchAll(db, request) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.contains("game(homeId) → club(id), and game(awayId) → club(id)") == true)
        }
    }

    @Test("with different tables are an error that names both")
    func differentTables() throws {
        try withGames { db in
            let request = Game.including(required: Game.home).including(optional: Game.stadium.forKey("club"))
            expectError(
                .SQLITE_MISUSE,
                """
                Two associations of one request have the key "club" and join different rows: game(homeId) → club(id), \
                and game(stadiumId) → stadium(id). Give one of them another key with the forKey(_:) method.
                """
            ) { _ = try Row.fetchAll(db, request) }
        }
    }

    @Test("of which one has a foreign key and the other one a condition are an error")
    func foreignKeyAndCondition() throws {
        let clubs = CommonTableExpression(named: "club", sql: "SELECT 1 AS id")
        let association = Game.association(to: clubs, on: { game, club in game["id"] == club["id"] })
        try withGames { db in
            let request = Game.with(clubs).including(required: Game.home).including(required: association)
            expectError(
                .SQLITE_MISUSE,
                """
                Two associations of one request have the key "club" and join different rows: game(homeId) → club(id), \
                and a condition on club. Give one of them another key with the forKey(_:) method.
                """
            ) { _ = try Row.fetchAll(db, request) }
        }
    }

    @Test("are two joins when one of them gets another key")
    func otherKey() throws {
        let away = Game.away.filter(name == "Blues").forKey("away")
        try withGames { db in
            let request = Game.including(required: Game.home.filter(name == "Reds")).including(required: away)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["id"] as Int } == [1])
            #expect(rows[0].scopes["club"]?["name"] == "Reds")
            #expect(rows[0].scopes["away"]?["name"] == "Blues")
        }
    }

    @Test("are one join when they are the same, however the foreign key is said")
    func sameForeignKey() throws {
        let inferred = Game.stadium
        let columns = Game.belongsTo(Stadium.self, using: ForeignKey(["STADIUMID"]))
        let both = Game.belongsTo(
            Table<Stadium>("STADIUM"), key: "stadium", using: ForeignKey(["stadiumId"], to: ["ID"]))
        try withGames { db in
            let request = Game.joining(required: inferred).including(optional: columns).joining(optional: both)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0.scopes["stadium"]?["name"] as String? } == ["Old"])
            let sql = try Game.joining(required: inferred).joining(optional: inferred.filter(id > 0)).expandedSQL(db)
            #expect(
                sql == """
                    SELECT "game".* FROM "game" JOIN "stadium" \
                    ON ("stadium"."id" = "game"."stadiumId") AND ("stadium"."id" > 0)
                    """)
        }
    }

    @Test("with conditions written in Swift are one join, and the last condition counts")
    func conditions() throws {
        let numbers = CommonTableExpression(named: "number", sql: "SELECT 1 AS n")
        let association = { (isEqual: Bool) in
            Game.association(to: numbers, on: { isEqual ? $0["id"] == $1["n"] : $0["id"] > $1["n"] })
        }
        try withGames { db in
            let request = Game.with(numbers).joining(required: association(true)).joining(required: association(false))
            let sql = try request.expandedSQL(db)
            #expect(
                sql == """
                    WITH "number" AS (SELECT 1 AS n) SELECT "game".* FROM "game" JOIN "number" \
                    ON "game"."id" > "number"."n"
                    """)
        }
    }

    @Test("find the columns of a foreign key whatever their case, and write them as the foreign key does")
    func caseOfColumns() throws {
        let stadium = Game.belongsTo(Stadium.self, using: ForeignKey(["STADIUMid"]))
        let games = Stadium.hasMany(Game.self, using: ForeignKey(["STADIUMid"]))
        try withGames { db in
            let sql = try Game.including(required: stadium).expandedSQL(db)
            #expect(
                sql == """
                    SELECT "game".*, "stadium".* FROM "game" JOIN "stadium" ON "stadium"."id" = "game"."STADIUMid"
                    """)
            try expectQuery(db, Stadium.including(all: games)) {
                """
                SELECT * FROM "stadium"
                SELECT *, "STADIUMid" AS "grdb_STADIUMid" FROM "game" WHERE "STADIUMid" = 1
                """
            } rows: {
                """
                1|Old
                  games: 1|1|2|1|1
                """
            }
        }
    }
}
