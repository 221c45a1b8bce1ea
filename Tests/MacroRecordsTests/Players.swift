import Amalgam

// The records of AmalgamRecordsTests, by macros. Its tests of writing and fetching records run with them too: this folder
// has links to their files. Requests select all columns, so that their SQL is the same.

#if Macros
@Record
struct Player: Hashable {
    static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    @Key var id: Int64?
    var name: String
    var score: Int?
}

@Record
struct Country: Hashable {
    static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    @Key var isoCode: String
    var name: String
}

@Record
struct Citizenship: Hashable {
    static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    @Key var playerId: Int64?
    @Key var isoCode: String?
    var native: Bool
}
#else
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
#endif
