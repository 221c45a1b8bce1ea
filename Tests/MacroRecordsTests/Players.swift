#if Macros
import Amalgam

// The records of AmalgamRecordsTests, by macros. Its tests of records run with them too: this folder has links to their
// files. Requests select all columns, so that their SQL is the same. Without the trait `Macros`, the folder has no tests.

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
#endif
