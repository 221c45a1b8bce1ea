import Amalgam
import Foundation
import Testing

@Suite("Guide: Schema")
struct Schema {
    let sql = ShownSQL()
    let dbQueue: DatabaseQueue

    init() throws {
        // guide: open
        let dbQueue = try DatabaseQueue()
        // end
        self.dbQueue = dbQueue
        sql.follow(dbQueue)
    }

    @Test("Tables, indexes, views and generated columns")
    func definitions() throws {
        try dbQueue.write { db in
            // guide: table
            try db.create(table: "team") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull().unique().collate(.nocase)
            }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team", onDelete: .setNull)  // teamId, a foreign key, and an index on it
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull().defaults(to: 0).check { $0 >= 0 }
                t.column("initial", .text).generatedAs(sql: "substr(name, 1, 1)", .virtual)
            }
            // end
            // guide: index
            try db.create(index: "player_on_score", on: "player", columns: ["score"])
            // CREATE INDEX "player_on_score" ON "player"("score")
            // end
            // guide: view
            try db.create(view: "best", asLiteral: "SELECT * FROM player WHERE score >= \(100)")
            // end
            // guide: alter
            try db.alter(table: "player") { t in
                t.add(column: "email", .text)
            }
            // ALTER TABLE "player" ADD COLUMN "email" TEXT
            // end
            try sql.expect("index")
            // guide: ask
            let columns = try db.columns(in: "player").map(\.name)
            let indexes = try db.indexes(on: "player").map(\.name)
            let keys = try db.foreignKeys(on: "player")
            let exists = try db.tableExists("player")
            // end
            #expect(columns == ["id", "teamId", "name", "score", "initial", "email"])
            #expect(indexes.contains("player_on_score") && keys.count == 1 && exists)
        }
    }

    @Test("A primary key of two columns, and a table without rowid")
    func composite() throws {
        try dbQueue.write { db in
            // guide: composite
            try db.create(table: "citizenship", options: [.withoutRowID, .strict]) { t in
                t.column("personId", .integer).notNull()
                t.column("country", .text).notNull()
                t.primaryKey(["personId", "country"])
            }
            // end
            #expect(try db.primaryKey("citizenship").columns == ["personId", "country"])
        }
    }
}
