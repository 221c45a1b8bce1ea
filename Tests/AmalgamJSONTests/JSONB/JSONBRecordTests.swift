#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// Records with JSONB columns.
struct JSONBRecordTests {
    struct Address: Codable, Hashable {
        var city: String
        var lines: [String]
    }

    #if MACRO_RECORDS
    @Record
    #endif
    struct Player: StoredRecord, Hashable {
        enum Columns {
            static let address = JSONBColumn("address")
        }

        var id: Int64
        var address: Address
        var tags: [String]?

        static func databaseJSONEncoder(for column: String) -> JSONEncoder { JSONBEncoder() }
        static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
    }

    private let anna = Player(id: 1, address: Address(city: "Rome", lines: ["a", "b"]), tags: ["x"])

    private func withPlayers<T>(_ test: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.column("address", .jsonb)
                t.column("tags", .jsonb)
            }
            return try test(db)
        }
    }

    @Test func columnsAreBlobs() throws {
        try withPlayers { db in
            try anna.insert(db)
            let row = try Row.fetchOne(
                db, sql: "SELECT typeof(address) AS a, typeof(tags) AS t, json(address) AS j FROM player")
            expectEqual(row, ["a": "blob", "t": "blob", "j": #"{"city":"Rome","lines":["a","b"]}"#])
            expectEqual(try Player.fetchAll(db), [anna])
            let copies = try Row.fetchAll(db, sql: "SELECT * FROM player")
            expectEqual(try Player(row: copies[0]), anna)
            expectEqual(try Player.filter { $0.address["city"] == "Rome" }.fetchCount(db), 1)
        }
    }

    /// A column may still contain JSON text.
    @Test func textsAreRead() throws {
        try withPlayers { db in
            try db.execute(
                sql: "INSERT INTO player VALUES (1, ?, NULL)", arguments: [#"{"city":"Rome","lines":["a","b"]}"#])
            let player = try #require(try Player.fetchOne(db))
            expectEqual(player.address, anna.address)
            expectEqual(player.tags, nil)
            try player.update(db)
            expectEqual(try String.fetchOne(db, sql: "SELECT typeof(address) FROM player"), "blob")
            expectEqual(try Player.fetchOne(db)?.address, anna.address)
        }
    }

    @Test func equalValuesAreEqualBlobs() throws {
        try withPlayers { db in
            try anna.insert(db)
            let fetched = try #require(try Player.fetchOne(db))
            expectEqual(anna.databaseEquals(fetched), true)
            expectEqual(try anna.updateChanges(db, from: fetched), false)
            var moved = anna
            moved.address.city = "Paris"
            expectEqual(try Array(moved.databaseChanges(from: anna).keys), ["address"])
        }
    }

    @Test func malformedColumnsThrow() throws {
        try withPlayers { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, x'2c1761', NULL)")
            let error = #expect(throws: DecodingError.self) { try Player.fetchAll(db) }
            guard case .dataCorrupted(let context) = error else { return #expect(Bool(false)) }
            #expect(
                context.debugDescription.hasPrefix(
                    #"The bytes are malformed JSONB. - column: "address", column index: 1, row: [id:1 "#))
            try db.execute(sql: "UPDATE player SET address = NULL")
            #expect(throws: RowDecodingError.self) { try Player.fetchAll(db) }
        }
    }

    @Test func editsAndRecords() throws {
        try withPlayers { db in
            try anna.insert(db)
            try Player.updateAll(db) { $0.address.edit(.set(["city"], to: "Paris"), .append("c", to: ["lines"])) }
            expectEqual(try Player.fetchOne(db)?.address, Address(city: "Paris", lines: ["a", "b", "c"]))
        }
    }

    // MARK: Values

    struct Tags: Codable, Hashable, DatabaseValueConvertible {
        var names: [String]

        static func databaseJSONEncoder() -> JSONEncoder { JSONBEncoder() }
        static func databaseJSONDecoder() -> JSONDecoder { JSONBDecoder() }
    }

    @Test func valuesAreBlobs() throws {
        try DatabaseQueue().read { db in
            let tags = Tags(names: ["a", "b"])
            expectEqual(try String.fetchOne(db, sql: "SELECT json(?)", arguments: [tags]), #"{"names":["a","b"]}"#)
            expectEqual(try Tags.fetchOne(db, sql: "SELECT ?", arguments: [tags]), tags)
            expectEqual(try Tags.fetchOne(db, sql: #"SELECT '{"names":["a","b"]}'"#), tags)
            expectEqual(Tags.fromDatabaseValue(Data([0x2C, 0x17]).databaseValue), nil)
        }
    }

    #if !MACRO_RECORDS
    /// Properties with a custom `init(from:)` decode JSONB, too.
    @Test func propertiesThatAreTakenApart() throws {
        struct Lazy: Decodable, FetchableRecord {
            enum Keys: CodingKey { case address }
            var city: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                let address = try container.nestedContainer(keyedBy: AnyKey.self, forKey: .address)
                city = try address.decode(String.self, forKey: "city")
            }

            static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
        }
        try withPlayers { db in
            try anna.insert(db)
            expectEqual(try Lazy.fetchAll(db, sql: "SELECT * FROM player").map(\.city), ["Rome"])
        }
    }
    #endif
}
#endif
