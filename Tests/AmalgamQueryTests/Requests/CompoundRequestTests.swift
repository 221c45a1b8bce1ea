import Amalgam
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
}
