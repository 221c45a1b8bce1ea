#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import Testing

/// A value whose type contains the type that it identifies, as in the library `Tagged`.
private struct Tagged<Tag, RawValue>: RawRepresentable {
    var rawValue: RawValue

    init(rawValue: RawValue) { self.rawValue = rawValue }
}

extension Tagged: Sendable where RawValue: Sendable {}
extension Tagged: Equatable where RawValue: Equatable {}
extension Tagged: Hashable where RawValue: Hashable {}
extension Tagged: ExpressibleByIntegerLiteral where RawValue: ExpressibleByIntegerLiteral {
    init(integerLiteral value: RawValue.IntegerLiteralType) {
        self.init(rawValue: RawValue(integerLiteral: value))
    }
}
extension Tagged: Codable where RawValue: Codable {}
extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: StatementColumnConvertible where RawValue: StatementColumnConvertible {}
extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}

@Suite("Guide: records hide how values are stored")
struct RepresentationGuideTests {
    fileprivate struct Coordinate: Equatable {
        var latitude, longitude: Double
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Place: MutableStoredRecord {
        var id: Int64?
        var name: String
        private var latitude: Double
        private var longitude: Double

        init(name: String, coordinate: Coordinate) {
            self.name = name
            (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
        }

        var coordinate: Coordinate {
            get { Coordinate(latitude: latitude, longitude: longitude) }
            set { (latitude, longitude) = (newValue.latitude, newValue.longitude) }
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test("two columns are one property")
    func coordinates() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "place") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("latitude", .double).notNull()
                t.column("longitude", .double).notNull()
            }
            var place = Place(name: "Home", coordinate: Coordinate(latitude: 48.5, longitude: 2))
            try place.insert(db)
            try place.updateChanges(db) { $0.coordinate = Coordinate(latitude: 49, longitude: 2) }
            let fetched = try Place.find(db, key: 1)
            #expect(fetched.coordinate == Coordinate(latitude: 49, longitude: 2))
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Product: StoredRecord {
        var id: Int64
        private var priceCents: Int

        init(id: Int64, price: Decimal) {
            self.id = id
            priceCents = 0
            self.price = price
        }

        var price: Decimal {
            get { Decimal(priceCents) / 100 }
            set { priceCents = NSDecimalNumber(decimal: newValue * 100).intValue }
        }
    }

    @Test("amounts of money are integers, so that sums are exact")
    func money() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE product (id INTEGER PRIMARY KEY, priceCents INTEGER NOT NULL)")
            try Product(id: 1, price: Decimal(string: "12.10")!).insert(db)
            try Product(id: 2, price: Decimal(string: "0.20")!).insert(db)
            let price = try Product.find(db, key: 1).price
            #expect(price == Decimal(string: "12.1"))
            let sum = try Product.select(sum(Column("priceCents")), as: Int.self).fetchOne(db)
            #expect(sum == 1230)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Wine: StoredRecord, Equatable {
        enum Color: Int, Codable {
            case red, white, rose
        }

        struct Producer: Codable, Equatable {
            var name: String
            var since: Int?
        }

        var id: String
        var color: Color
        var producer: Producer
        var medals: [String]
    }

    @Test("enums are their raw values, other Codable values JSON")
    func codableProperties() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE wine (id TEXT PRIMARY KEY, color INTEGER, producer TEXT, medals TEXT)")
            let wine = Wine(
                id: "a", color: .rose, producer: Wine.Producer(name: "Anna", since: 1900), medals: ["gold", "silver"])
            try wine.insert(db)
            let row = try Row.fetchOne(db, sql: "SELECT * FROM wine")
            #expect(
                row == [
                    "id": "a", "color": 2, "producer": #"{"name":"Anna","since":1900}"#,
                    "medals": #"["gold","silver"]"#,
                ])
            let fetched = try Wine.find(db, key: "a")
            #expect(fetched == wine)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Shop: StoredRecord, Equatable {
        var id: String
        var info: Data

        static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
    }

    @Test("JSON that the app does not read is text")
    func flexibleJSON() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE shop (id TEXT PRIMARY KEY, info TEXT)")
            let shop = Shop(id: "a", info: Data(#"{"open":true}"#.utf8))
            try shop.insert(db)
            let isOpen = try Bool.fetchOne(db, sql: "SELECT info ->> 'open' FROM shop")
            #expect(isOpen == true)
            let fetched = try Shop.find(db, key: "a")
            #expect(fetched == shop)
        }
    }

    fileprivate struct Address: Codable, Equatable, DatabaseValueConvertible {
        var city: String
        var street: String
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Customer: StoredRecord {
        #if !MACRO_RECORDS
        enum Columns {
            static let address = Column("address")
        }
        #endif

        var id: Int64
        var address: Address
    }

    @Test("a Codable value that is a database value can be compared with")
    func comparedValues() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE customer (id INTEGER PRIMARY KEY, address TEXT)")
            let address = Address(city: "Paris", street: "Rue")
            try Customer(id: 1, address: address).insert(db)
            try Customer(id: 2, address: Address(city: "Rome", street: "Via")).insert(db)
            let customers = try Customer.filter { $0.address == address }.fetchAll(db)
            #expect(customers.map(\.id) == [1])
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Ship: StoredRecord, Identifiable {
        typealias ID = Tagged<Ship, Int>
        var id: ID
        var name: String
    }

    @Test("tagged identifiers are values")
    func taggedIdentifiers() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE ship (id INTEGER PRIMARY KEY, name TEXT)")
            try Ship(id: 7, name: "Vega").insert(db)
            let id: Ship.ID = 7
            let ship = try Ship.find(db, id: id)
            #expect(ship.name == "Vega")
            let count = try Ship.filter(Column("id") == id).fetchCount(db)
            #expect(count == 1)
            let ids = try Ship.ID.fetchAll(db, sql: "SELECT id FROM ship")
            #expect(ids == [7])
        }
    }
}
#endif
