import Amalgam
import Foundation
import TestSupport
import Testing

/// Keys of JSONB: duplicate keys, keys in snake case, and types of numbers.
struct JSONBKeyTests {
    private func jsonb(_ json: String) throws -> Data {
        try DatabaseQueue().read { db in
            try #require(try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: [json]))
        }
    }

    struct RoleFirst: Codable, Equatable { var role: String; var name: String }
    struct NameFirst: Codable, Equatable { var name: String; var role: String }
    struct Roles: Decodable, Equatable {
        enum Keys: CodingKey { case role, name }
        var values: [String] = []
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            for key in [Keys.role, .name, .role, .role] {
                values.append(try container.decode(String.self, forKey: key))
            }
        }
    }

    @Test("the first one of equal keys counts, whatever the order in which a type asks")
    func equalKeys() throws {
        let data = try jsonb(#"{"role":"user","name":"x","role":"admin"}"#)
        let decoder = JSONBDecoder()
        #expect(try decoder.decode(RoleFirst.self, from: data) == RoleFirst(role: "user", name: "x"))
        #expect(try decoder.decode(NameFirst.self, from: data) == NameFirst(name: "x", role: "user"))
        #expect(try decoder.decode(Roles.self, from: data).values == ["user", "x", "user", "user"])
        #expect(try decoder.decode([String: String].self, from: data) == ["role": "user", "name": "x"])
        #expect(
            try decoder.decode([String: AnyJSON].self, from: data) == ["role": .string("user"), "name": .string("x")])
    }

    @Test("also when a key has escapes, is optional, or is in an object inside")
    func equalKeysInOtherPlaces() throws {
        struct Outer: Decodable { var inner: NameFirst; var extra: String? }
        let data = try jsonb(#"{"extra":null,"inner":{"r\u006fle":"user","name":"x","role":"admin"},"extra":"y"}"#)
        let outer = try JSONBDecoder().decode(Outer.self, from: data)
        #expect(outer.inner == NameFirst(name: "x", role: "user"))
        #expect(outer.extra == nil)
    }

    @Test("any object with equal keys is decoded as SQL reads it")
    func randomObjects() throws {
        var numbers = SeededNumbers(seed: 5)
        let keys = ["a", "b", "ab", "ba", "aa", "c"]
        struct Values: Decodable {
            enum Keys: String, CodingKey, CaseIterable { case c, ba, a, aa, ab, b }
            var values: [String: Int] = [:]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                for key in Keys.allCases { values[key.rawValue] = try container.decodeIfPresent(Int.self, forKey: key) }
            }
        }
        try DatabaseQueue().read { db in
            for _ in 0..<300 {
                let members = (0..<Int.random(in: 0...12, using: &numbers)).map { index in
                    "\"\(keys.randomElement(using: &numbers)!)\":\(index)"
                }
                let json = "{" + members.joined(separator: ",") + "}"
                let data = try #require(try Data.fetchOne(db, sql: "SELECT jsonb(?)", arguments: [json]))
                let values = try JSONBDecoder().decode(Values.self, from: data).values
                for key in keys {
                    let expected = try Int.fetchOne(db, sql: "SELECT ? ->> ?", arguments: [data, key])
                    expectEqual(values[key], expected)
                }
                expectEqual(try JSONBDecoder().decode([String: Int].self, from: data), values)
            }
        }
    }

    @Test("a key in snake case is found by the name that it is encoded from")
    func snakeCase() throws {
        struct Player: Codable, Equatable {
            var playerID: Int
            var myURL: String
            var nickName: String?
        }
        let encoder = JSONBEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONBDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let player = Player(playerID: 1, myURL: "https://example.com", nickName: nil)
        let data = try encoder.encode(player)
        #expect(try decoder.decode(Player.self, from: data) == player)
        #expect(
            try decoder.decode(Player.self, from: try jsonb(#"{"player_id":1,"my_url":"https://example.com"}"#))
                == player)
    }

    @Test(
        "a number has the same SQL type in text and in JSONB",
        arguments: [5, 5.5, -0.0, 1e15, 1e16, 1e20, 0.1, -3, 1e-7])
    func typesOfNumbers(number: Double) throws {
        let text = String(decoding: try DatabaseValue.databaseJSONEncoder().encode([number]), as: UTF8.self)
        let data = try JSONBEncoder().encode([number])
        try DatabaseQueue().read { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT typeof(?1 ->> 0), typeof(?2 ->> 0), ?1 ->> 0 IS ?2 ->> 0, json_valid(?2, 8)",
                arguments: [text, data])
            let types = try #require(row)
            #expect(types[0] as String == types[1])
            #expect(types[2] == 1)
            #expect(types[3] == 1)
        }
        #expect(try JSONBDecoder().decode([Double].self, from: data) == [number])
        #expect(
            try JSONBDecoder().decode([Float].self, from: JSONBEncoder().encode([Float(number)])) == [Float(number)])
    }
}
