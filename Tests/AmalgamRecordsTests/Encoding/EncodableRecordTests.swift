#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

struct EncodableRecordTests {
    @Test func comparesDatabaseValues() throws {
        let player = Player(id: 1, name: "Arthur", score: 1)
        var other = player
        #expect(player.databaseEquals(other))
        other.score = nil
        #expect(!player.databaseEquals(other))
        expectEqual(try player.databaseChanges(from: other), ["score": .null])
        expectEqual(try other.databaseChanges(from: player), ["score": 1.databaseValue])
        let changes = try other.databaseChanges { $0.name = "Barbara" }
        #expect(changes == ["name": "Arthur".databaseValue])
        #expect(other.name == "Barbara")
        // Columns that only the older record has are ignored. Those that it doesn't have were NULL.
        let new: [String: DatabaseValue] = ["id": .null, "score": .null]
        expectEqual(try player.databaseChanges(from: Country(isoCode: "FR", name: "Arthur")), new)
        expectEqual(
            try player.databaseChanges(from: Country(isoCode: "FR", name: "Barbara")),
            new.merging(["name": "Barbara".databaseValue]) { $1 })
        #expect(throws: Failure.self) { try other.databaseChanges { _ in throw Failure() } }
    }

    private struct Failure: Error {}

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Scores: StoredRecord { var list: [Double] }

    @Test func refusesJSONThatIsNone() throws {
        #expect(throws: EncodingError.self) { try Scores(list: [.nan]).databaseDictionary }
        #expect(!Scores(list: [.nan]).databaseEquals(Scores(list: [.nan])))
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct CodedScores: StoredRecord {
        static func databaseJSONEncoder(for column: String) -> JSONEncoder {
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "+Inf", negativeInfinity: "-Inf", nan: column)
            return encoder
        }
        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "+Inf", negativeInfinity: "-Inf", nan: column)
            return decoder
        }
        var list: [Double]
    }

    @Test func takesCodersOfColumns() throws {
        let dictionary = try CodedScores(list: [.nan, .infinity]).databaseDictionary
        #expect(dictionary == ["list": #"["list","+Inf"]"#.databaseValue])
        expectEqual(try CodedScores(row: Row(dictionary)).list.last, .infinity)
    }

    @Test func refusesWhatARowIsNot() throws {
        struct List: Encodable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
            }
        }
        struct Single: Encodable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
        }
        struct Nested: Encodable, PersistableRecord {
            enum Key: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                try nested.encode(1, forKey: .a)
            }
        }
        func message(_ body: () throws -> Void) -> String? {
            let error = #expect(throws: EncodingError.self) { try body() }
            guard case .invalidValue(_, let context) = error else { return nil }
            return context.debugDescription
        }
        #expect(message { _ = try List().databaseDictionary } == "unkeyed encoding is not supported")
        #expect(message { _ = try Single().databaseDictionary } == "Can't encode a single value in a database row.")
        #expect(
            message { _ = try Nested().databaseDictionary }
                == "nested encoding is not supported in a database row: encode a value for the key a")
    }

    @Test func encodesSuperclasses() throws {
        class Base: Encodable { var id = 1 }
        final class Derived: Base, PersistableRecord {
            enum CodingKeys: CodingKey { case name }
            let name = "a"
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(name, forKey: .name)
                try super.encode(to: container.superEncoder())
            }
        }
        expectEqual(try Derived().databaseDictionary, ["id": 1.databaseValue, "name": "a".databaseValue])
    }

    // MARK: Containers

    @Test func containersKeepWhatTheyAreGiven() throws {
        struct Anything: EncodableRecord {
            var body: @Sendable (inout PersistenceContainer) -> Void
            func encode(to container: inout PersistenceContainer) { body(&container) }
        }
        enum Columns: String, ColumnExpression { case score }
        let record = Anything { container in
            container["id"] = 1
            container[Columns.score] = 2
            container[Column("name")] = "a"
            container["SCORE"] = nil
            container["url"] = URL(string: "https://example.com")
            #expect(container["Name"] as? String == "a")
            #expect(container["url"]?.databaseValue == "https://example.com".databaseValue)
            #expect(container[Columns.score] == nil)
            #expect(container["missing"] == nil)
            #expect(container.map(\.0) == ["id", "score", "name", "url"])
            #expect(container.count == 4)
            #expect(container[0] == ("id", 1.databaseValue))
        }
        expectEqual(
            try record.databaseDictionary,
            [
                "id": 1.databaseValue, "score": .null, "name": "a".databaseValue,
                "url": "https://example.com".databaseValue,
            ])
    }
}
#endif
