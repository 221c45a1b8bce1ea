#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

struct Cage<Animal: Codable & Equatable & Sendable> {
    @Record("cage")
    struct Entry: Equatable {
        @Key var id: Int64?
        var animal: Animal
        var note: String?
    }

    @Embeddable
    struct Size: Equatable {
        var width: Int
        var animal: Animal
    }

    @Record("cage")
    struct Sized: Equatable {
        @Key var id: Int64?
        @Embedded var size: Size
    }
}

extension Cage {
    @Record("cage")
    struct Extended: Equatable {
        @Key var id: Int64?
        var animal: Animal
    }

    @Record("cage")
    final class Object {
        @Key var id: Int64?
        var animal: Animal

        init(animal: Animal) { self.animal = animal }
    }
}

@Embeddable
struct Couple<Member: DatabaseValueConvertible & StatementColumnConvertible & Codable & Equatable & Sendable>: Equatable
{
    var first: Member
    @Column("2nd") var second: Member?
}

@Record("couple")
struct CoupleBox<Member: DatabaseValueConvertible & StatementColumnConvertible & Codable & Equatable & Sendable>:
    Equatable
{
    @Key var id: Int64?
    @Embedded var couple: Couple<Member>
    @Embedded(prefix: "other_") var other: Couple<Int>?

    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .custom { key in
            // The strategy may use other generic records.
            _ = Cage<Member>.Entry.databaseSelection
            return key.stringValue
        }
    }
}

enum Bakery {
    typealias Grams = Int
    static let start = 7
    static let cents = Cents()

    struct Cents: DatabaseRepresentation {
        func databaseValue(of value: Double) -> DatabaseValue { Int(value * 100).databaseValue }
        func value(from databaseValue: DatabaseValue) -> Double? {
            Int.fromDatabaseValue(databaseValue).map { Double($0) / 100 }
        }
    }

    @Record("bread")
    struct Bread: Equatable {
        typealias Flour = String
        enum String: Swift.String, Codable { case rye, wheat }

        @Key var id: Swift.Int64?
        @Column(as: Cents()) var price: Double = 1.5
        @Column(as: cents) var tax: Double?
        var weight: Grams
        var name: Swift.String = "bread \(start)"
        var number: Int = start
        var flour: Self.Flour = .wheat
        var others: [Self.Flour] = [Self.first]
        var type: String = .rye
        var `class`: Grams? = Bakery.start

        static let first = Flour.rye
    }
}

@Suite("Records in other types")
struct NestedRecordTests {
    @Test("a record in a generic type, and in an extension of one")
    func genericTypes() throws {
        let table = "id INTEGER PRIMARY KEY, animal, note, width"
        expectEqual(
            try roundTrip(Cage.Entry(animal: ["Lion"], note: "n"), columns: table),
            Cage.Entry(id: 1, animal: ["Lion"], note: "n"))
        expectEqual(
            try roundTrip(Cage.Sized(size: Cage.Size(width: 3, animal: "Owl")), columns: table),
            Cage.Sized(id: 1, size: Cage.Size(width: 3, animal: "Owl")))
        expectEqual(try roundTrip(Cage<Int>.Extended(animal: 5), columns: table), Cage.Extended(id: 1, animal: 5))
        expectEqual(try roundTrip(Cage<Int>.Object(animal: 5), columns: table).animal, 5)
    }

    @Test("a generic record that embeds a generic type")
    func genericEmbedding() throws {
        let table = "id INTEGER PRIMARY KEY, first, \"2nd\", other_first, other_2nd"
        let names = CoupleBox(couple: Couple(first: "a", second: "b"), other: Couple(first: 1))
        expectEqual(
            try roundTrip(names, columns: table),
            CoupleBox(id: 1, couple: Couple(first: "a", second: "b"), other: Couple(first: 1)))
        let numbers = CoupleBox(couple: Couple(first: 1.5, second: nil), other: nil)
        expectEqual(
            try roundTrip(numbers, columns: table),
            CoupleBox(id: 1, couple: Couple(first: 1.5, second: nil), other: nil))
    }

    @Test("many threads that use generic records for the first time")
    func manyThreads() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let box = CoupleBox(couple: Couple(first: Int8(3), second: nil), other: nil)
                    let table = "id INTEGER PRIMARY KEY, first, \"2nd\", other_first, other_2nd"
                    expectEqual(try roundTrip(box, columns: table).couple, box.couple)
                    #expect(CoupleBox<Int8>._recordColumns === CoupleBox<Int8>._recordColumns)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("names that only the declaration sees: in types, default values and representations")
    func names() throws {
        let bread = Bakery.Bread(tax: 0.25, weight: 500)
        let table =
            "id INTEGER PRIMARY KEY, price INT, tax INT, weight, name, number, flour, others, type, class"
        var stored = bread
        stored.id = 1
        expectEqual(try roundTrip(bread, columns: table), stored)
        expectEqual(stored.name, "bread 7")
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE bread (\(table))")
            var bread = bread
            try bread.insert(db)
            expectEqual(
                try Int.fetchAll(db, sql: "SELECT price FROM bread UNION ALL SELECT tax FROM bread"), [150, 25])
            expectEqual(try Bakery.Bread.filter { $0.price == 1.5 && $0.tax > 0.2 }.fetchCount(db), 1)
            let partial = try Bakery.Bread.fetchOne(db, sql: "SELECT 1 AS weight")
            expectEqual(partial?.name, "bread 7")
            expectEqual(partial?.others, [.rye])
            expectEqual(partial?.class, 7)
        }
    }
}
#endif
