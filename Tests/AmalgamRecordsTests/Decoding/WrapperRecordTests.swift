import Amalgam
import Foundation
import TestSupport
import Testing

/// `Codable` records that wrap others by code of their own, and what their values receive from decoders and encoders.
struct WrapperRecordTests {
    // MARK: Single values

    private struct Model: Codable, Equatable { var id: Int64; var name: String }

    /// A model with an additional property, in one row.
    private struct Wrapper: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "player"
        enum CodingKeys: CodingKey { case score }
        var model: Model
        var score: Int

        init(model: Model, score: Int) {
            self.model = model
            self.score = score
        }

        init(from decoder: any Decoder) throws {
            model = try decoder.singleValueContainer().decode(Model.self)
            score = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .score)
        }

        func encode(to encoder: any Encoder) throws {
            var single = encoder.singleValueContainer()
            try single.encode(model)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(score, forKey: .score)
        }
    }

    @Test("a record decodes and encodes a model as its single value, and more properties")
    func singleValues() throws {
        try withClub { db in
            let wrapper = Wrapper(model: Model(id: 1, name: "Arthur"), score: 3)
            try expectSQL(db, [#"INSERT INTO "player" ("id", "name", "score") VALUES (1,'Arthur',3)"#]) {
                try wrapper.insert(db)
            }
            expectEqual(try Wrapper.fetchAll(db), [wrapper])
            expectEqual(try Row.fetchAll(db, sql: "SELECT * FROM player").map { try Wrapper(row: $0) }, [wrapper])
        }
    }

    /// A record with its own `init(row:)` and `encode(to:)`.
    private struct OwnModel: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "player"
        var id: Int64
        var name: String

        init(id: Int64, name: String) {
            self.id = id
            self.name = name
        }

        init(row: Row) throws {
            id = row["id"] as Int64 + 100
            name = "own \(row["name"] as String)"
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = "stored \(name)"
        }
    }

    private struct OwnWrapper: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "player"
        enum CodingKeys: CodingKey { case score }
        var model: OwnModel
        var score: Int

        init(model: OwnModel, score: Int) {
            self.model = model
            self.score = score
        }

        init(from decoder: any Decoder) throws {
            model = try decoder.singleValueContainer().decode(OwnModel.self)
            score = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .score)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(score, forKey: .score)
            var single = encoder.singleValueContainer()
            try single.encode(model)
        }
    }

    @Test("a model that is a record is made by its own init(row:), and stored by its own encode(to:)")
    func ownMethods() throws {
        try withClub { db in
            let wrapper = OwnWrapper(model: OwnModel(id: 1, name: "Arthur"), score: 3)
            for _ in 0..<2 {
                try expectSQL(
                    db, [#"INSERT INTO "player" ("score", "id", "name") VALUES (3,1,'stored Arthur')"#]
                ) { try wrapper.insert(db) }
                let fetched = OwnWrapper(model: OwnModel(id: 101, name: "own stored Arthur"), score: 3)
                expectEqual(try OwnWrapper.fetchAll(db), [fetched])
                expectEqual(
                    try Row.fetchAll(db, sql: "SELECT * FROM player").map { try OwnWrapper(row: $0) }, [fetched])
                try db.execute(sql: "DELETE FROM player")
            }
        }
    }

    @Test("a value of a column is no record")
    func scalars() throws {
        struct Number: Decodable, FetchableRecord {
            init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int.self) }
        }
        try withClub { db in
            let error = #expect(throws: DecodingError.self) { try Number.fetchOne(db, sql: "SELECT 1 AS id") }
            guard case .typeMismatch(_, let context) = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(context.debugDescription == "single value decoding from database row is not supported")
        }
    }

    // MARK: Coding paths and context

    private static let coderKey = CodingUserInfoKey(rawValue: "coder")!
    private static let recordKey = CodingUserInfoKey(rawValue: "record")!

    /// A value that records its coding path.
    private struct Trace: Codable {
        var path: [String]
        var coder: String?
        var record: String?

        init(_ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: Any]) {
            self.path = path.map(\.stringValue)
            coder = userInfo[coderKey] as? String
            record = userInfo[recordKey] as? String
        }
    }

    private struct SingleTrace: Codable {
        var trace: Trace
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            _ = try container.decode(String.self)
            trace = Trace(container.codingPath, decoder.userInfo)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(
                container.codingPath.map(\.stringValue).joined(separator: ".")
                    + "|\(encoder.userInfo[recordKey] ?? "-")")
        }
    }

    private struct Nested: Codable { var inner: SingleTrace }

    private struct Traced: Codable, FetchableRecord, PersistableRecord {
        static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [recordKey: "r", coderKey: "r"] }
        static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [recordKey: "r"] }
        static func databaseJSONDecoder(for column: String) -> JSONDecoder {
            let decoder = JSONDecoder()
            decoder.userInfo = [coderKey: "coder of \(column)"]
            return decoder
        }
        var single: SingleTrace
        var nested: Nested
    }

    @Test("a single value knows the key of its column; a value in JSON has a path that begins there")
    func codingPaths() throws {
        try withClub { db in
            let record = try #require(
                try Traced.fetchOne(db, sql: #"SELECT 'x' AS single, '{"inner":"y"}' AS nested"#))
            #expect(record.single.trace.path == ["single"])
            #expect(record.single.trace.coder == "r")
            #expect(record.nested.inner.trace.path == ["inner"])
            expectEqual(
                try record.databaseDictionary,
                ["single": "single|r".databaseValue, "nested": #"{"inner":"inner|r"}"#.databaseValue])
        }
    }

    @Test("the context of a value in JSON is that of the JSON decoder, and that of the record")
    func contexts() throws {
        try withClub { db in
            let record = try #require(
                try Traced.fetchOne(db, sql: #"SELECT 'x' AS single, '{"inner":"y"}' AS nested"#))
            #expect(record.nested.inner.trace.coder == "coder of nested")
            #expect(record.nested.inner.trace.record == "r")
        }
    }

    // MARK: Missing properties

    private struct Team: Codable, FetchableRecord, Equatable { var id: Int64; var name: String }

    @Test("rows may differ in the property that they are")
    func varyingProperties() throws {
        struct Either: Decodable, FetchableRecord {
            enum Keys: CodingKey { case id, player, team }
            var value: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                if try container.decode(Int.self, forKey: .id) == 1 {
                    value = "player " + (try container.decode(Model.self, forKey: .player)).name
                } else {
                    value = "team " + (try container.decode(Team.self, forKey: .team)).name
                }
            }
        }
        try withClub { db in
            let sql = "SELECT 1 AS id, 'a' AS name UNION SELECT 2, 'b' ORDER BY id"
            expectEqual(try Either.fetchAll(db, sql: sql).map(\.value), ["player a", "team b"])
        }
    }
}
