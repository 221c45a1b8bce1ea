#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import Testing

// A museum: artists and their paintings. Records define their tables, requests are methods of requests, and separate
// types represent a graph.

#if MACRO_RECORDS
@Record
#endif
private struct Artist: MutableStoredRecord, Equatable {
    var id: Int64?
    var name: String
    var countryCode: String?

    static let paintings = hasMany(Painting.self)

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

#if MACRO_RECORDS
@Record
#endif
private struct Painting: MutableStoredRecord, Equatable {
    enum Style: String, Codable, DatabaseValueConvertible {
        case portrait, landscape, stillLife
    }

    var id: Int64?
    var artistId: Int64
    var title: String
    var style: Style

    static let artist = belongsTo(Artist.self)

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

#if !MACRO_RECORDS
extension Artist {
    fileprivate enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let countryCode = Column(CodingKeys.countryCode)
    }
}

extension Painting {
    fileprivate enum Columns {
        static let id = Column("id")
        static let artistId = Column("artistId")
        static let title = Column("title")
        static let style = Column("style")
    }
}
#endif

extension DerivableRequest<Artist> {
    fileprivate func orderByName() -> Self {
        order { $0.name.collating(.localizedCaseInsensitiveCompare) }
    }

    fileprivate func filter(countryCode: String) -> Self {
        filter { $0.countryCode == countryCode }
    }
}

extension DerivableRequest<Painting> {
    fileprivate func orderByTitle() -> Self {
        order { $0.title.collating(.localizedCaseInsensitiveCompare) }
    }

    fileprivate func filter(style: Painting.Style) -> Self {
        filter { $0.style == style }
    }

    fileprivate func filter(artistCountryCode countryCode: String) -> Self {
        joining(required: Painting.artist.filter(countryCode: countryCode))
    }
}

extension QueryInterfaceRequest<Artist> {
    fileprivate func selectName() -> QueryInterfaceRequest<String> {
        select(\.name)
    }
}

private func withMuseum(_ test: (Database) throws -> Void) throws {
    let dbQueue = try DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("createMuseum") { db in
        try db.create(table: "artist") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull()
            t.column("countryCode", .text)
        }
        try db.create(table: "painting") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("title", .text).notNull()
            t.column("style", .text).notNull()
            t.belongsTo("artist", onDelete: .cascade).notNull()
        }
    }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in
        for (name, code, paintings) in [
            ("paul Klee", "DE", [("Fish", Painting.Style.stillLife), ("Senecio", .portrait)]),
            ("Emil Nolde", "DE", [("Sea", .landscape)]), ("Berthe Morisot", "FR", [("Cradle", .portrait)]),
            ("Unknown", nil, []),
        ] as [(String, String?, [(String, Painting.Style)])] {
            var artist = Artist(name: name, countryCode: code)
            try artist.insert(db)
            for (title, style) in paintings {
                var painting = Painting(artistId: artist.id!, title: title, style: style)
                try painting.insert(db)
            }
        }
        try test(db)
    }
}

@Suite("Guide: a record type for each table, requests as methods, graphs as types")
struct MuseumGuideTests {
    @Test("records that are inserted learn their identifiers")
    func insertion() throws {
        try withMuseum { db in
            var artist = Artist(name: "Hilma af Klint", countryCode: "SE")
            try artist.insert(db)
            #expect(artist.id == 5)
            var painting = Painting(artistId: artist.id!, title: "Swan", style: .portrait)
            try painting.insert(db)
            let paintings = try Painting.fetchAll(db)
            #expect(paintings.last == painting)
            let found = try Artist.find(db, key: artist.id)
            #expect(found == artist)
        }
    }

    @Test("the schema keeps the database consistent")
    func integrity() throws {
        try withMuseum { db in
            expectDatabaseError(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed") {
                _ = try Painting(artistId: 42, title: "Nothing", style: .landscape).inserted(db)
            }
            try Artist.deleteOne(db, key: 1)
            let titles = try Painting.select(\.title, as: String.self).fetchSet(db)
            #expect(titles == ["Sea", "Cradle"])
        }
    }

    @Test("columns make requests")
    func columns() throws {
        try withMuseum { db in
            let sorted = try Artist.all()
                .order { $0.name.collating(.localizedCaseInsensitiveCompare) }
                .fetchAll(db)
            #expect(sorted.map(\.name) == ["Berthe Morisot", "Emil Nolde", "paul Klee", "Unknown"])
            let germans = try Artist.all().filter { $0.countryCode == "DE" }.fetchCount(db)
            #expect(germans == 2)
            let portraits = try Painting.filter { $0.style == Painting.Style.portrait }.fetchCount(db)
            #expect(portraits == 2)
        }
    }

    @Test("requests that are used often are methods")
    func requestMethods() throws {
        try withMuseum { db in
            let artists = try Artist.all().filter(countryCode: "DE").orderByName().fetchAll(db)
            #expect(artists.map(\.name) == ["Emil Nolde", "paul Klee"])
            let count = try Painting.all().filter(style: .portrait).fetchCount(db)
            #expect(count == 2)
            let names = try Artist.all().filter(countryCode: "DE").selectName().fetchSet(db)
            #expect(names == ["Emil Nolde", "paul Klee"])
        }
    }

    @Test("associations lead from one record to others, and make requests as well")
    func associations() throws {
        try withMuseum { db in
            let klee = try Artist.find(db, key: 1)
            let portraits = try klee.request(for: Artist.paintings).filter(style: .portrait).orderByTitle().fetchAll(db)
            #expect(portraits.map(\.title) == ["Senecio"])
            let german = try Painting.all().filter(style: .portrait).filter(artistCountryCode: "DE").fetchAll(db)
            #expect(german == portraits)
            let artist = try portraits[0].request(for: Painting.artist).fetchOne(db)
            #expect(artist == klee)
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct ArtistInfo: FetchedRecord {
        var artist: Artist
        var paintingCount: Int
    }

    @Test("an annotation is a property")
    func annotations() throws {
        try withMuseum { db in
            let infos = try Artist.annotated(with: Artist.paintings.count)
                .asRequest(of: ArtistInfo.self)
                .fetchAll(db)
            #expect(infos.map(\.paintingCount) == [2, 1, 1, 0])
            #expect(infos.map(\.artist.id) == [1, 2, 3, 4])
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct Oeuvre: FetchedRecord {
        var artist: Artist
        var paintings: [Painting]
    }

    @Test("the rows of an association are an array")
    func toMany() throws {
        try withMuseum { db in
            let oeuvres = try Artist.all()
                .filter(countryCode: "DE")
                .orderByName()
                .including(all: Artist.paintings)
                .asRequest(of: Oeuvre.self)
                .fetchAll(db)
            #expect(oeuvres.map { $0.paintings.map(\.title) } == [["Sea"], ["Fish", "Senecio"]])
            let first = try Artist.including(all: Artist.paintings).asRequest(of: Oeuvre.self).fetchOne(db)
            #expect(first?.artist.name == "paul Klee")
        }
    }

    #if MACRO_RECORDS
    @Selection
    #endif
    fileprivate struct Label: FetchedRecord {
        var painting: Painting
        var artist: Artist
    }

    @Test("a row of an association is a record, by either way")
    func toOne() throws {
        try withMuseum { db in
            let labels = try Painting.all()
                .including(required: Painting.artist.filter(countryCode: "FR"))
                .asRequest(of: Label.self)
                .fetchAll(db)
            let others = try Painting.all()
                .filter(artistCountryCode: "FR")
                .including(required: Painting.artist)
                .asRequest(of: Label.self)
                .fetchAll(db)
            for labels in [labels, others] {
                #expect(labels.map(\.painting.title) == ["Cradle"])
                #expect(labels.map(\.artist.name) == ["Berthe Morisot"])
            }
        }
    }

    @Test("a shorter way to write an access")
    func shorthand() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT, countryCode TEXT)")
            _ = try Artist(name: "Paul", countryCode: nil).inserted(db)
        }
        #expect(try dbQueue.read(Artist.fetchCount) == 1)
        #expect(try dbQueue.read(Artist.all().fetchAll).map(\.name) == ["Paul"])
        #expect(try dbQueue.read(Artist.filter { $0.name == "Paul" }.fetchOne)?.id == 1)
    }
}
#endif
