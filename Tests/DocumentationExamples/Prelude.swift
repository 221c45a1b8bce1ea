import Amalgam
import Foundation
// The names that examples of documentation comments use without declaring them. It is compiled by scripts/checks/examples only.

struct Names { var db: Database; var dbQueue: DatabaseQueue; var dbPool: DatabasePool }
struct Player: Codable, Hashable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int
    var teamId: Int64?
    enum Columns {
        static let id = Column("id"), name = Column("name"), score = Column("score"), teamId = Column("teamId"),
            bonus = Column("bonus")
        static let address = JSONColumn("address"), tags = JSONColumn("tags"), info = JSONColumn("info")
    }
    static let team = belongsTo(Team.self)
    static let awards = hasMany(Award.self)
}
struct Award: Codable, FetchableRecord, PersistableRecord { var id: Int64; var title: String }
struct Team: Codable, Identifiable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var color: String?
    enum Columns { static let id = Column("id"), name = Column("name"), color = Column("color") }
    static let players = hasMany(Player.self)
}
struct Author: Codable, FetchableRecord, PersistableRecord {
    var id: Int64; var name: String
    enum Columns { static let id = Column("id"), name = Column("name") }
    static let books = hasMany(Book.self)
}
struct Book: Codable, FetchableRecord, PersistableRecord {
    var id: Int64; var title: String; var authorId: Int64?
    enum Columns { static let id = Column("id"), title = Column("title"), year = Column("year") }
    static let author = belongsTo(Author.self)
    static let text = hasOne(BookText.self)
}
struct BookText: TableRecord {}
struct Note: Codable, FetchableRecord, PersistableRecord { var id: Int64; var text: String }
struct Document: Codable, FetchableRecord, PersistableRecord {
    var id: Int64; var title: String; var body: String
    enum Columns { static let id = Column("id"), title = Column("title"), body = Column("body") }
    static let search = hasOne(DocumentSearch.self)
}
struct DocumentSearch: TableRecord {}
nonisolated(unsafe) var config = Configuration()
nonisolated(unsafe) var configuration = Configuration()
nonisolated(unsafe) var migrator = DatabaseMigrator()
nonisolated(unsafe) var player = Player(id: 1, name: "", score: 1)
nonisolated(unsafe) var team = Team(id: 1, name: "")
nonisolated(unsafe) var players: [Player] = []
nonisolated(unsafe) var statement: Statement! = nil
nonisolated(unsafe) var row: Row = Row()
nonisolated(unsafe) var event: DatabaseEvent! = nil
nonisolated(unsafe) var source: DatabaseQueue! = nil
nonisolated(unsafe) var destination: DatabaseQueue! = nil
let path = "", sql = "", untrusted = "", url = URL(fileURLWithPath: ""), data = Data(), date = Date(), id: Int64 = 1,
    name = "", json = "", ids: [Int64] = [], key = ""
