#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

@Record
final class Document {
    @Key var id: Int64?
    var title: String
    let kind = "text"
    var body: String? {
        didSet { changeCount += 1 }
    }
    @Ignored var changeCount = 0
    var length: Int { title.count }
    @Ignored lazy var cache: [String] = []

    init(title: String) {
        self.title = title
    }
}

enum Outer {
    @Record("place")
    struct Place: Equatable {
        @Key var country: String
        @Key var city: String
        private var secret: Int = 7
        var `default`: Bool = true
        var a, b: Int

        init(country: String, city: String) {
            self.country = country
            self.city = city
            (a, b) = (1, 2)
        }
    }
}

@Record("box")
struct Box<Content: Codable & Equatable & Sendable>: Equatable {
    @Key var id: Int
    var content: Content
    #if DEBUG || true
    var note: String?
    #else
    var missing: NoSuchType
    #endif
}

@Record("invoice")
struct Invoice {
    @Key var number: Int64?
    var net: Int
    @Column(generated: true) var gross: Int?
    @Column("paid_at", as: .iso8601) var paidAt: Date?
}

/// The types of properties are in the type that contains the records.
enum Game {
    enum Level: String, Codable { case easy, hard }

    struct Rules: Codable, Equatable {
        var lives = 3
    }

    @Embeddable
    struct Score: Equatable {
        var level: Level
        var rules: Rules?
    }

    @Record("round")
    struct Round: Equatable {
        @Key var id: Int64?
        var level: Level
        var `case`: Level? = .hard
        var rules: Rules = Rules(lives: 5)
        @Column(as: .json) var other: Rules?
        @Embedded(prefix: "best_") var best: Score?
    }

    @Record("round")
    final class RoundObject {
        @Key var id: Int64?
        var level: Level
        var rules: Rules = Rules(lives: 7)

        init(level: Level) {
            self.level = level
        }
    }
}

@Record("player")
struct ConditionalPlayer: Equatable {
    #if DEBUG || true
    @Key @Column("id")
    #else
    @Ignored
    #endif
    var number: Int64?
    #if DEBUG || true
    var name: String
    #else
    enum Columns {}
    init(row: Row) throws { name = "" }
    func encode(to container: inout PersistenceContainer) throws {}
    #endif
}

/// `Identifiable` can't use the private property.
@Record("setting")
struct Setting {
    private var id = 1
    var volume: Int
}

/// A record whose callback changes it, although no attribute declares the key.
@Record("player")
struct UnkeyedPlayer {
    var id: Int64?
    var name: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

@Suite("Declarations of records")
struct DeclarationTests {
    @Test("types and default values that only the declaration sees, because they are in the same type")
    func scopes() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE round (
                        id INTEGER PRIMARY KEY, level TEXT, "case" TEXT, rules TEXT, other TEXT, best_level TEXT, best_rules TEXT)
                    """)
            var round = Game.Round(level: .easy, best: Game.Score(level: .hard))
            try round.insert(db)
            expectEqual(try Game.Round.filter { $0.level == .easy && $0.case == .hard }.fetchAll(db), [round])
            expectEqual(
                try Game.Round.fetchOne(db, sql: "SELECT 'easy' AS level, 'hard' AS best_level")?.best?.level, .hard)
            let partial = try Game.Round.fetchOne(db, sql: "SELECT 'hard' AS level")
            expectEqual(partial?.rules.lives, 5)
            expectEqual(partial?.case, .hard)
            let object = Game.RoundObject(level: .hard)
            try object.insert(db)
            expectEqual(try Game.RoundObject.fetchOne(db, key: object.id)?.rules.lives, 7)
        }
    }

    @Test("attributes and members of an active '#if' clause")
    func conditions() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            var player = ConditionalPlayer(name: "Anna")
            try player.insert(db)
            expectEqual(player.number, 1)
            expectEqual(try ConditionalPlayer.filter { $0.number == 1 && $0.name == "Anna" }.fetchAll(db), [player])
        }
    }

    @Test("a private property isn't the identifier of the record")
    func privateIdentifiers() throws {
        func isIdentifiable(_ type: Any.Type) -> Bool { type is any Identifiable.Type }
        #expect(!isIdentifiable(Setting.self))
        #expect(isIdentifiable(Invoice.self))
    }

    @Test("a callback that changes a record without a declared key")
    func mutatingCallbacks() throws {
        #expect(!((UnkeyedPlayer.self as Any.Type) is any PersistableRecord.Type))
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            var player = UnkeyedPlayer(name: "Anna")
            try player.insert(db)
            expectEqual(player.id, 1)
        }
    }

    @Test("a final class: lazy properties are ignored by an attribute, computed ones anyway")
    func classes() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE document (id INTEGER PRIMARY KEY, title, kind, body)")
            let document = Document(title: "Moby-Dick")
            try document.insert(db)
            expectEqual(document.id, 1)
            let found = try #require(try Document.fetchOne(db, key: 1))
            expectEqual(found.title, "Moby-Dick")
            expectEqual(found.changeCount, 0)
            expectEqual(try String.fetchOne(db, sql: "SELECT kind FROM document"), "text")
        }
    }

    @Test("a nested type with a composite key, private members, names in backticks, and several names in one line")
    func nested() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: #"CREATE TABLE place (country, city, secret, "default", a, b, PRIMARY KEY (country, city))"#)
            let place = Outer.Place(country: "FR", city: "Paris")
            try place.insert(db)
            expectEqual(try Outer.Place.fetchAll(db), [place])
            expectEqual(
                try Row.fetchOne(db, sql: "SELECT * FROM place"),
                ["country": "FR", "city": "Paris", "secret": 7, "default": true, "a": 1, "b": 2])
        }
    }

    @Test("a generic type, and a conditional member")
    func generic() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE box (id INTEGER PRIMARY KEY, content, note)")
            let list = Box(id: 1, content: ["a"], note: "n")
            let number = Box(id: 2, content: 5, note: nil)
            try list.insert(db)
            try number.insert(db)
            expectEqual(try Box<[String]>.fetchOne(db, key: 1), list)
            expectEqual(try Box<Int>.fetchOne(db, key: 2), number)
            expectEqual(try String.fetchAll(db, sql: "SELECT typeof(content) FROM box"), ["text", "integer"])
        }
    }

    @Test("a generated column is read, and not written; a key with another name identifies the record")
    func generated() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE invoice (number INTEGER PRIMARY KEY, net INTEGER, gross INTEGER AS (net * 120 / 100), paid_at TEXT)
                    """)
            var invoice = Invoice(net: 100, paidAt: Date(timeIntervalSince1970: 0))
            try invoice.insert(db)
            let found = try #require(try Invoice.fetchOne(db, id: 1))
            expectEqual(found.gross, 120)
            expectEqual(found.id, 1)
            expectEqual(try String.fetchOne(db, sql: "SELECT paid_at FROM invoice"), "1970-01-01T00:00:00Z")
        }
    }

    @Test("columns that a row doesn't have: nil, the default value, or an error")
    func missingColumns() throws {
        try DatabaseQueue().read { db in
            let player = try Player.fetchOne(db, sql: "SELECT 'Anna' AS name, '[]' AS tags, 0 AS createdAt")
            expectEqual(player?.id, nil)
            expectEqual(player?.score, 0)
            for sql in ["SELECT '[]' AS tags, 0 AS createdAt", "SELECT NULL AS name, '[]' AS tags, 0 AS createdAt"] {
                let error = #expect(throws: RowDecodingError.self) { _ = try Player.fetchOne(db, sql: sql) }
                #expect(error.map { "\($0)".contains("name") } == true)
            }
        }
    }
}
#endif
