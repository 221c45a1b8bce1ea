import Amalgam

// The records of `createTeams()`.

struct Team: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    static let players = hasMany(Player.self)

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Player: Codable, FetchableRecord, MutablePersistableRecord {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
        static let teamId = Column("teamId")
    }

    var id: Int64?
    var name: String
    var score: Double?
    var teamId: Int64?

    static let team = belongsTo(Team.self)

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
