import Amalgam

// A club: players and their teams, countries, and citizenships.

struct Player: Codable, FetchableRecord, MutablePersistableRecord, Identifiable, Hashable {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
    }

    var id: Int64?
    var name: String
    var score: Int?

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
    var isoCode: String
    var name: String
}

struct Citizenship: Codable, FetchableRecord, PersistableRecord, Hashable {
    var playerId: Int64?
    var isoCode: String?
    var native: Bool
}
