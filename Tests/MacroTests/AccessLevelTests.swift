#if Macros
public import Amalgam
import TestSupport
import Testing

enum GameLevel: String, Codable, DatabaseValueConvertible { case easy, hard }

@Record("game")
public struct PublicGame: Equatable {
    @Key public var id: Int64?
    public internal(set) var name: String
    var level: GameLevel
    fileprivate var bonus: Int
    private var isSecret = true

    static func secrets() -> QueryInterfaceRequest<PublicGame> { filter { $0.isSecret && $0.bonus > 0 } }

    init(level: GameLevel) {
        name = "Chess"
        self.level = level
        bonus = 5
    }
}

@Record("game")
package struct PackageGame: Equatable {
    @Key package var id: Int64?
    package var name: String
    var level: GameLevel
}

@Record("game")
private struct PrivateGame: Equatable {
    @Key var id: Int64?
    private var name = "Go"
    var level: GameLevel

    init(level: GameLevel) { self.level = level }
}

@Record("game")
fileprivate struct FilePrivateGame: Equatable {
    @Key var id: Int64?
    var level: GameLevel
}

@Record("game")
struct GameWithPrivateKind: Equatable {
    private enum Kind: String, Codable { case board, card }
    private struct Rules: Codable, Equatable { var players = 2 }

    @Key var id: Int64?
    private var kind: Kind = .card
    private var rules: Rules? = nil
    private var other: Kind?

    var isCard: Bool { kind == .card && rules == nil }
}

@Embeddable
public struct PublicPlace: Equatable {
    public var city: String
    var level: GameLevel?
    private var zip = 7

    init(city: String, level: GameLevel?) {
        self.city = city
        self.level = level
    }
}

@Record("visit")
public struct PublicVisit: Equatable {
    @Key public var id: Int64?
    @Embedded public var place: PublicPlace
    @Embedded(prefix: "next_") var next: PublicPlace?
}

@available(macOS 12, *)
@Record("game")
@frozen
public struct FrozenGame: Equatable, Sendable {
    @Key public var id: Int64?
    @usableFromInline var bonus: Int = 0
}

public enum Catalog {}

public extension Catalog {
    @Record("game")
    struct Game: Equatable {
        @Key public var id: Int64?
        public var name: String
        internal var level: GameLevel
    }

    @Selection
    struct Name {
        public var name: String
    }
}

private extension Catalog {
    @Record("game")
    struct HiddenGame: Equatable {
        @Key var id: Int64?
        var level: GameLevel
    }
}

enum Shelf {
    fileprivate enum Size: String, Codable { case small, large }

    @Record("box")
    fileprivate struct Box: Equatable {
        @Key var id: Int64?
        var size: Size
        var other: Size = .large
    }

    @Record("box")
    struct PlainBox: Equatable {
        private enum Kind: String, Codable { case paper, steel }

        @Key var id: Int64?
        private var kind: Kind = .steel
        fileprivate var size: Size
        private var other: Size? = .large

        fileprivate init(size: Size) { self.size = size }
    }
}

@Suite("Records and their columns: access levels")
struct AccessLevelTests {
    private let table =
        "id INTEGER PRIMARY KEY, name TEXT, level TEXT, bonus INT, isSecret INT, kind TEXT, rules, other"

    @Test("a column is as visible as its property: a public record may have an internal property of an internal type")
    func publicRecords() throws {
        var game = PublicGame(level: .hard)
        game.id = 1
        expectEqual(try roundTrip(PublicGame(level: .hard), columns: table), game)
        expectEqual(
            try roundTrip(PackageGame(name: "Go", level: .easy), columns: table),
            PackageGame(id: 1, name: "Go", level: .easy))
        expectEqual(try roundTrip(FrozenGame(bonus: 1), columns: table), FrozenGame(id: 1, bonus: 1))
        let visit = PublicVisit(place: PublicPlace(city: "Oslo", level: .easy), next: nil)
        expectEqual(
            try roundTrip(visit, columns: "id INTEGER PRIMARY KEY, city, level, zip, next_city, next_level, next_zip"),
            PublicVisit(id: 1, place: visit.place, next: nil))
    }

    @Test("columns of private properties, in requests of the same file")
    func privateColumns() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE game (\(table))")
            var game = PublicGame(level: .hard)
            try game.insert(db)
            expectEqual(try PublicGame.secrets().fetchCount(db), 1)
            expectEqual(try PublicGame.filter { $0.bonus == 5 && $0.level == .hard }.fetchAll(db), [game])
        }
    }

    @Test("private records, and properties of private types")
    func privateRecords() throws {
        expectEqual(try roundTrip(PrivateGame(level: .hard), columns: table).level, .hard)
        expectEqual(try roundTrip(FilePrivateGame(level: .easy), columns: table).id, 1)
        #expect(try roundTrip(GameWithPrivateKind(), columns: table).isCard)
        expectEqual(
            try roundTrip(Shelf.Box(size: .small), columns: "id INTEGER PRIMARY KEY, size, other"),
            Shelf.Box(id: 1, size: .small, other: .large))
        expectEqual(
            try roundTrip(Shelf.PlainBox(size: .small), columns: "id INTEGER PRIMARY KEY, kind, size, other").size,
            .small)
    }

    @Test("a record in a public or a private extension has the level of the extension")
    func extensions() throws {
        expectEqual(
            try roundTrip(Catalog.Game(name: "Go", level: .easy), columns: table),
            Catalog.Game(id: 1, name: "Go", level: .easy))
        expectEqual(try roundTrip(Catalog.HiddenGame(level: .hard), columns: table).level, .hard)
        try DatabaseQueue().read { db in
            expectEqual(try Catalog.Name.fetchOne(db, sql: "SELECT 'Go' AS name")?.name, "Go")
        }
    }
}
#endif
