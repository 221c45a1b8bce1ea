import Amalgam
import Foundation
import TestSupport
import Testing

/// What only `Decodable` records do: decoders, containers and errors of the standard library.
struct DecodableRecordTests {
    @Test func refusesWhatARowIsNot() throws {
        struct List: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
        }
        struct Single: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int.self) }
        }
        for (type, message) in [
            (List.self, "unkeyed decoding from database row is not supported"),
            (Single.self, "single value decoding from database row is not supported"),
        ] as [(any FetchableRecord.Type, String)] {
            let error = #expect(throws: DecodingError.self) { _ = try type.init(row: ["a": 1]) }
            guard case .typeMismatch(_, let context) = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(context.debugDescription == message)
        }
    }

    /// A decoder that is stored has no row afterwards, and throws.
    @Test func refusesDecodersThatAreKept() throws {
        struct Keeper: Decodable, FetchableRecord {
            enum Key: CodingKey { case a }
            let container: KeyedDecodingContainer<Key>
            init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
        }
        try DatabaseQueue().read { db in
            let keeper = try #require(try Keeper.fetchOne(db, sql: "SELECT 1 AS a"))
            #expect(throws: DecodingError.self) { try keeper.container.decode(Int.self, forKey: .a) }
            #expect(throws: DecodingError.self) { try keeper.container.decode(String.self, forKey: .a) }
            #expect(throws: DecodingError.self) { try keeper.container.decode([Int].self, forKey: .a) }
            #expect(!keeper.container.contains(.a))
        }
    }

    // MARK: Ways to decode by hand

    @Test func decodesWithinAnInitializer() throws {
        struct Loud: Codable, FetchableRecord {
            var name: String
            init(row: Row) throws {
                self = try FetchableRecordDecoder().decode(Loud.self, from: row)
                name = name.uppercased()
            }
        }
        try DatabaseQueue().read { db in
            expectEqual(try Loud.fetchAll(db, sql: "SELECT 'a' AS name UNION ALL SELECT 'b'").map(\.name), ["A", "B"])
        }
    }

    @Test func decodesWithKeysOfAnyKind() throws {
        struct AnyKey: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Columns: Decodable, FetchableRecord {
            var values: [String: Int] = [:]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                for key in container.allKeys { values[key.stringValue] = try container.decode(Int.self, forKey: key) }
            }
        }
        try DatabaseQueue().read { db in
            let rows = try Columns.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4")
            #expect(rows.map(\.values) == [["a": 1, "b": 2], ["a": 3, "b": 4]])
        }
    }

    @Test func decodesSuperclasses() throws {
        class Base: Decodable { var id: Int }
        final class Derived: Base, FetchableRecord {
            enum CodingKeys: CodingKey { case name }
            let name: String
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                name = try container.decode(String.self, forKey: .name)
                try super.init(from: container.superDecoder())
            }
        }
        try DatabaseQueue().read { db in
            let records = try Derived.fetchAll(db, sql: "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b'")
            #expect(records.map(\.id) == [1, 2])
            #expect(records.map(\.name) == ["a", "b"])
        }
    }

    @Test func looksIntoJSONByHand() throws {
        struct Inner: Decodable, FetchableRecord {
            enum Key: CodingKey { case json, name }
            var name: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                name = try container.nestedContainer(keyedBy: Key.self, forKey: .json).decode(
                    String.self, forKey: .name)
            }
        }
        try DatabaseQueue().read { db in
            expectEqual(try Inner.fetchOne(db, sql: #"SELECT '{"name":"a"}' AS json"#)?.name, "a")
        }
    }

    /// A record may store the row of a cursor, which becomes a copy.
    @Test func keepsRows() throws {
        struct Keeper: FetchableRecord {
            let row: Row
            init(row: Row) { self.row = row }
        }
        try DatabaseQueue().read { db in
            let sql = "SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3"
            expectEqual(try Keeper.fetchAll(db, sql: sql).map { $0.row["a"] as Int }, [1, 2, 3])
            expectEqual(try Keeper.fetchOne(db, sql: sql)?.row["a"], 1)
            let keepers = try Keeper.fetchCursor(db, sql: sql)
            let first = try keepers.next()
            _ = try keepers.next()
            #expect(first?.row["a"] == 1)
        }
    }
}
