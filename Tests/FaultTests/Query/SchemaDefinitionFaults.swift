import Amalgam
import AmalgamCore
import Testing

/// A failed definition leaves no partial objects.
@Suite struct SchemaDefinitionFaults {
    @Test(arguments: Weather.all)
    func creations(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.inTransaction {
                    try db.create(table: "award") { t in
                        t.autoIncrementedPrimaryKey("id")
                        t.belongsTo("player", onDelete: .cascade).notNull()
                        t.column("title", .text).notNull().unique()
                    }
                    return .commit
                }
            }
            try attempt.step { db in try db.create(indexOn: "player", columns: ["score"]) }
            try attempt.step { db in try db.create(view: "star", as: Player.filter { $0.score > 15 }) }
        }
    }

    @Test(arguments: Weather.all)
    func alterations(weather: Weather) throws {
        try everyFault(of: weather, stride: 5, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.alter(table: "player") { t in t.add(column: "bonus", .integer) } }
            try attempt.step { db in try db.rename(table: "team", to: "club") }
            try attempt.step { db in try db.alter(table: "player") { t in t.drop(column: "score") } }
            try attempt.step { db in try db.drop(table: "player") }
        }
    }
}
