import Amalgam

// 1. A record: a Swift value that is a row of a table.
struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    enum Columns {
        static let score = Column("score")
    }
}

// 2. A database, and a table.
let dbQueue = try DatabaseQueue(path: "hello.sqlite")
try dbQueue.write { db in
    try db.create(table: "player", options: .ifNotExists) { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("score", .integer).notNull()
    }
}

// 3. Write: one transaction, all or nothing.
try dbQueue.write { db in
    try Player.deleteAll(db)
    var anna = Player(name: "Anna", score: 100)
    try anna.insert(db)
    var bo = Player(name: "Bo", score: 250)
    try bo.insert(db)
    try anna.updateChanges(db) { $0.score += 50 }
}

// 4. Read.
let (best, total) = try dbQueue.read { db in
    let best = try Player.order { $0.score.desc }.fetchAll(db)
    let total = try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player")!
    return (best, total)
}
for player in best { print(player.name, player.score) }
print("total", total)
