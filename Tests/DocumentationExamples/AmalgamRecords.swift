import Amalgam
import Foundation

struct Country: Codable, FetchableRecord, PersistableRecord {
    var code: String
    var name: String
}

/// A country whose name has a default value in the database.
struct NewCountry: Encodable, PersistableRecord {
    static let databaseTableName = "country"
    var code: String
}

/// A player whose other columns have default values in the database.
struct NewPlayer: Encodable, MutablePersistableRecord {
    static let databaseTableName = "player"
    var name: String
}

/// Some columns of a player.
struct PartialPlayer: Encodable, MutablePersistableRecord {
    static let databaseTableName = "player"
    var id: Int64
    var name: String
}

struct Word: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "vocabulary"
    var word: String
    var kind: String
    var isTainted: Bool
    var count: Int
}

final class PlayerRecord: Record {
    var id: Int64?
    var name: String

    override class var databaseTableName: String { "player" }

    required init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        try super.init(row: row)
    }

    override func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
}

let country = Country(code: "FR", name: "France")
nonisolated(unsafe) var word = Word(word: "jovial", kind: "adjective", isTainted: false, count: 1)
