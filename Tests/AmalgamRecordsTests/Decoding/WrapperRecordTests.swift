import Amalgam
import Foundation
import TestSupport
import Testing

/// Records that wrap others, and the context that their values receive from decoders and encoders.
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

    @Test("one property without column may be the row itself")
    func wholeRow() throws {
        struct Info: Decodable, FetchableRecord { var team: Team }
        try withClub { db in
            for _ in 0..<2 {
                let infos = try Info.fetchAll(db, sql: "SELECT 1 AS id, 'Reds' AS name UNION SELECT 2, 'Blues'")
                #expect(infos.map(\.team) == [Team(id: 1, name: "Reds"), Team(id: 2, name: "Blues")])
            }
        }
    }

    @Test("with two of them, the association was not included: an error names both", arguments: [false, true])
    func twoWholeRows(areCopied: Bool) throws {
        struct Pair: Decodable, FetchableRecord { var player: Model; var team: Team }
        try withClub { db in
            let sql = "SELECT 1 AS id, 'Reds' AS name"
            let error = #expect(throws: DecodingError.self) {
                if areCopied {
                    _ = try Row.fetchAll(db, sql: sql).map { try Pair(row: $0) }
                } else {
                    _ = try Pair.fetchAll(db, sql: sql)
                }
            }
            guard case .keyNotFound(let key, let context) = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(key.stringValue == "team")
            #expect(context.debugDescription == "No such key: player or team")
        }
    }

    @Test("an optional property is nil, and rows may differ in the property that they are")
    func optionalProperties() throws {
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
        struct Info: Decodable, FetchableRecord { var player: Model; var team: Team? }
        try withClub { db in
            let sql = "SELECT 1 AS id, 'a' AS name UNION SELECT 2, 'b' ORDER BY id"
            expectEqual(try Either.fetchAll(db, sql: sql).map(\.value), ["player a", "team b"])
            expectEqual(try Info.fetchAll(db, sql: sql).map(\.team), [nil, nil])
        }
    }

    // MARK: Keys in snake case

    @Test("a column in snake case is that of the property that is encoded into it")
    func snakeCase() throws {
        struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
            static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
            var playerID: Int64
            var myURL: URL
            var teamId: Int64?
            var aboutHTML: String?
        }
        try withClub { db in
            try db.execute(sql: "DROP TABLE player; CREATE TABLE player (player_id, my_url, team_id, about_html)")
            let player = Player(playerID: 1, myURL: URL(string: "https://example.com")!, teamId: 2, aboutHTML: "<p>")
            try player.insert(db)
            expectEqual(try Player.fetchAll(db), [player])
        }
    }

    // MARK: Errors

    @Test("the localized description of an error is its description")
    func localizedDescriptions() throws {
        try withClub { db in
            let missing: any Error = Player.recordNotFound(key: ["id": 1])
            #expect(missing.localizedDescription == "Key not found in table player: [id:1]")
            let error = #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
            let undecodable: any Error = try #require(error)
            #expect(undecodable.localizedDescription == "\(undecodable)")
            #expect(undecodable.localizedDescription.hasPrefix("could not decode Int from database value NULL"))
        }
    }
}
