import Amalgam
import AmalgamCore
import Foundation
import Testing

/// JSON columns: decoding returns what was encoded, edits are atomic, and JSON isn't reported as malformed because
/// memory is exhausted.
@Suite struct JSONFaults {
    struct Address: Codable, Equatable {
        var city: String
        var lines: [String]
        var position: [Double]
    }

    struct Person: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let id = Column("id")
            static let address = JSONBColumn("address")
            static let tags = JSONColumn("tags")
        }

        var id: Int64
        var address: Address
        var tags: [String]?

        static func databaseJSONEncoder(for column: String) -> JSONEncoder {
            column == "address" ? JSONBEncoder() : JSONEncoder()
        }

        static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
    }

    private static let anna = Person(
        id: 1, address: Address(city: "Rome", lines: ["Main Street 1", "say \"hi\""], position: [1.5, -2]),
        tags: ["a", "b"])

    private static func createPersons(_ db: Database) throws {
        try db.create(table: "person") { t in
            t.primaryKey("id", .integer)
            t.column("address", .jsonb)
            t.column("tags", .jsonText)
        }
        try db.create(
            index: "person_on_city", on: "person", expressions: [Person.Columns.address["city"]])
        try anna.insert(db)
        try Person(id: 2, address: Address(city: "Paris", lines: [], position: []), tags: ["b"]).insert(db)
    }

    @Test(arguments: Weather.all)
    func records(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, setUp: Self.createPersons) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try Person(
                    id: 3, address: Address(city: "Oslo", lines: ["x"], position: [0.25]), tags: nil
                ).insert(db)
            }
            try attempt.read { db in
                attempt.note(try Person.order(\.id).fetchAll(db))
                attempt.note(try Person.filter { $0.address["city"] == "Rome" }.fetchAll(db))
            }
        }
    }

    @Test(arguments: Weather.allocations() + Weather.files([.journal]))
    func edits(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: Self.createPersons) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try Person.filter { $0.address["city"] == "Rome" }.updateAll(db) {
                    $0.address.edit(
                        .set(["city"], to: "Bari"), .append("new", to: ["lines"]), .remove(["position", 0]))
                }
            }
            try attempt.step { db in
                try Person.updateAll(db) { try $0.tags.edit(.set([0], encoding: ["k": [1, 2]]), .patch(with: "[5]")) }
            }
        }
    }

    /// JSON arrays as rows, in conditions, in joins and as groups.
    @Test(arguments: Weather.allocations([.memory, .pool]))
    func elements(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: Self.createPersons) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try Person.filter { $0.tags.each.contains("a") }.select(\.id, as: Int.self).fetchAll(db))
                attempt.note(try JSONElements.tree(of: #"{"a":[1,{"b":"c"}]}"#).all().fetchAll(db).map(\.fullkey))
                let tag = TableAlias<JSONElement>()
                let counts = Person.joining(required: Person.association(to: \.tags.each).aliased(tag))
                    .select(tag.value, count(), Database.jsonGroupArray(Column("id"))).group(tag.value)
                    .order(tag.value)
                attempt.note(try counts.asRequest(of: Row.self).fetchAll(db))
            }
        }
    }

    @Test(arguments: Weather.memory)
    func texts(weather: Weather) throws {
        try everyFault(of: weather, setUp: Self.createPersons) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try db.canonicalJSON("{name: 'Anna', /* why not */ score: 0x10}"))
                attempt.note(try db.prettyJSON("{a: [1, 2]}", indentation: "  "))
            }
        }
    }
}
