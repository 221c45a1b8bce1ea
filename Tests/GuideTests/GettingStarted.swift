import Amalgam
import Foundation
import Testing

@Suite("Guide: Getting started")
struct GettingStarted {
    // guide: record
    struct Player: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var score: Int

        enum Columns {
            static let name = Column(CodingKeys.name)
            static let score = Column(CodingKeys.score)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }
    // end

    @Test("A database is opened, filled, and queried")
    func firstSteps() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("players.sqlite")
        // guide: open
        let dbQueue = try DatabaseQueue(path: path)
        // end
        // guide: create
        try dbQueue.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
            }
        }
        // end
        // guide: insert
        var anna = Player(name: "Anna", score: 100)
        try dbQueue.write { db in
            try anna.insert(db)
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Bo", 250])
        }
        print(anna.id!)  // 1
        // end
        #expect(anna.id == 1)
        // guide: query
        let best = try dbQueue.read { db in
            try Player.filter { $0.score > 50 }.order { $0.score.desc }.fetchAll(db)
        }
        print(best.map(\.name))  // ["Bo", "Anna"]
        // end
        #expect(best.map(\.name) == ["Bo", "Anna"])
        // guide: sql
        let total = try dbQueue.read { db in
            try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player")
        }
        print(total!)  // 350
        // end
        #expect(total == 350)
        // guide: change
        anna.score = 300
        try dbQueue.write { db in
            try anna.update(db)
            _ = try Player.deleteOne(db, key: 2)
        }
        // end
        #expect(try dbQueue.read { try Player.fetchAll($0) }.map(\.score) == [300])
    }
}
