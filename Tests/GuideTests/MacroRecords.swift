#if Macros
import Amalgam
import Foundation
import Testing

// guide: record
@Record("player")
struct MacroPlayer: Equatable {
    @Key var id: Int64?
    var name: String
    var score: Int = 0
    @Column("team_id") var teamID: Int64?
    @Column(as: .unixTime) var createdAt: Date
    @Ignored var isSelected = false
}
// end

// guide: team
@Record("team")
struct MacroTeam: Equatable {
    @Key var id: Int64?
    var name: String

    static let players = hasMany(MacroPlayer.self, using: ForeignKey(["team_id"]))
}

@Selection
struct MacroTeamInfo {
    var team: MacroTeam
    var playerCount: Int
}
// end

// guide: address
@Embeddable
struct MacroAddress: Equatable {
    var street: String
    var city: String
}

@Record("customer")
struct MacroCustomer: Equatable {
    @Key var id: Int64?
    @Embedded(prefix: "home_") var home: MacroAddress
    @Embedded(prefix: "work_") var work: MacroAddress?
}
// end

@Suite("Guide: Records by macros")
struct MacroRecords {
    private func withTables(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            // guide: tables
            try db.create(table: "team") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
            }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull().defaults(to: 0)
                t.column("team_id", .integer).references("team")
                t.column("createdAt", .integer).notNull()
            }
            // end
            try body(db)
        }
    }

    @Test("groups of columns")
    func embedded() throws {
        try DatabaseQueue().write { db in
            // guide: customers
            try db.create(table: "customer") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("home_street", .text).notNull()
                t.column("home_city", .text).notNull()
                t.column("work_street", .text)
                t.column("work_city", .text)
            }
            var customer = MacroCustomer(home: MacroAddress(street: "Main Street 1", city: "Oslo"))
            try customer.insert(db)
            // INSERT INTO "customer" ("id", "home_street", "home_city", "work_street", "work_city")
            // VALUES (NULL,'Main Street 1','Oslo',NULL,NULL)
            let customers = try MacroCustomer.filter { $0.home.city == "Oslo" && $0.work.city == nil }.fetchAll(db)
            // SELECT "id", "home_street", "home_city", "work_street", "work_city" FROM "customer"
            // WHERE ("home_city" = 'Oslo') AND ("work_city" IS NULL)
            // end
            #expect(customers == [customer])
            try db.verify(MacroCustomer.self)
        }
    }

    @Test("insert, fetch, and typed columns")
    func use() throws {
        try withTables { db in
            // guide: use
            var player = MacroPlayer(name: "Anna", score: 20, createdAt: Date(timeIntervalSince1970: 1_700_000_000))
            try player.insert(db)
            // INSERT INTO "player" ("id", "name", "score", "team_id", "createdAt")
            // VALUES (NULL,'Anna',20,NULL,1700000000)
            let players = try MacroPlayer.filter { $0.score > 10 }.order(\.name).fetchAll(db)
            // SELECT "id", "name", "score", "team_id", "createdAt" FROM "player" WHERE "score" > 10 ORDER BY "name"
            // end
            #expect(players == [player])
            #expect(player.id == 1)
        }
    }

    @Test("a selection")
    func selection() throws {
        try withTables { db in
            var team = MacroTeam(name: "Red")
            try team.insert(db)
            // guide: selection
            let infos = try MacroTeam.annotated(with: MacroTeam.players.count.forKey("playerCount"))
                .asRequest(of: MacroTeamInfo.self)
                .fetchAll(db)
            print(infos.map { "\($0.team.name): \($0.playerCount)" })  // ["Red: 0"]
            // end
            #expect(infos.map(\.team) == [team])
            #expect(infos.map(\.playerCount) == [0])
        }
    }

    @Test("the declaration is compared with the table")
    func verification() throws {
        try withTables { db in
            // guide: verify
            try db.verify(MacroPlayer.self)
            try db.verify(MacroTeam.self)
            // end
        }
    }
}
#endif
