#if Macros && compiler(>=6.3)
import Amalgam
import Foundation

@Record("row")
struct RowRecord: Swift::Equatable {
    @Key var id: Swift::Int64?
    var name: Swift::String
    var score = 5
    var ratio = 1.5
    var isOpen = true
    var title = "t"
    @Amalgam::Column(as: .json) var tags: [Swift::String]
    @Amalgam::Column(as: .jsonb) var notes: [Swift::String]?
    @Amalgam::Column(as: .unixTime) var start: Date
    @Amalgam::Column(as: .iso8601) var stop: Date?
    @Embedded(prefix: "a_") var place: Place
    @Embedded(prefix: "b_") var other: Place?
}

@Embeddable
struct Place: Swift::Equatable {
    var city: Swift::String
    var zip: Swift::Int?
}

@Record("box")
struct Box<Content: Swift::Codable & Swift::Equatable & Swift::Sendable>: Swift::Equatable {
    @Key var id: Swift::Int?
    var content: Content
}

@Record("object")
final class Object {
    @Key var key: Swift::Int64?
    var name: Swift::String

    init(name: Swift::String) { self.name = name }
}

@Selection
struct Name: Swift::Equatable {
    var name: Swift::String
}

enum Outer {
    @Record("nested")
    struct Nested: Swift::Equatable {
        @Key var id: Swift::Int64?
        var place: Swift::String = "\(1)"
        var level: Level

        enum Level: Swift::String, Swift::Codable { case low }
    }
}

/// Inserts and fetches a record of each kind.
///
/// - Returns: The numbers of the comparisons that fail.
package func roundTripsOfShadowedNames() throws -> [Swift::Int] {
    try DatabaseQueue().write { db in
        try db.execute(
            sql: """
                CREATE TABLE row (id INTEGER PRIMARY KEY, name, score, ratio, isOpen, title, tags, notes, start, stop,
                    a_city, a_zip, b_city, b_zip);
                CREATE TABLE box (id INTEGER PRIMARY KEY, content);
                CREATE TABLE object (key INTEGER PRIMARY KEY, name);
                CREATE TABLE nested (id INTEGER PRIMARY KEY, place, level);
                """)
        var row = RowRecord(
            name: "n", tags: ["a"], notes: ["b"], start: Date(timeIntervalSince1970: 5),
            stop: Date(timeIntervalSince1970: 7), place: Place(city: "Oslo", zip: 1))
        try row.insert(db)
        var box = Box(content: ["x"])
        try box.insert(db)
        let object = Object(name: "o")
        try object.insert(db)
        var nested = Outer.Nested(level: .low)
        try nested.insert(db)
        let name = try Name.fetchOne(db, sql: "SELECT name FROM row")
        let start = Date(timeIntervalSince1970: 4)
        let rows = try RowRecord.filter { $0.score == 5 && $0.place.city == "Oslo" && $0.start > start }.fetchAll(db)
        let boxes = try Box<[Swift::String]>.fetchAll(db)
        let objects = try Object.fetchAll(db)
        let nestedRecords = try Outer.Nested.fetchAll(db)
        let isSame: [Swift::Bool] = [
            rows == [row], row.id == 1, boxes == [box], box.id == 1, objects.map(\.name) == ["o"], object.key == 1,
            nestedRecords == [nested], nested.id == 1, name == Name(name: "n"),
        ]
        return isSame.indices.filter { !isSame[$0] }
    }
}
#elseif compiler(>=6.3)
/// Without macros, there is nothing to test.
package func roundTripsOfShadowedNames() throws -> [Swift::Int] { [] }
#else
/// Without module selectors, the types hide those of the standard library.
package func roundTripsOfShadowedNames() throws -> [Int] { [] }
#endif
