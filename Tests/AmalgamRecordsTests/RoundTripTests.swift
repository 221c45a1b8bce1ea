#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// Any values are fetched as they were stored, by each method to store and to fetch them.
struct RoundTripTests {
    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Thing: MutableStoredRecord, Equatable {
        var id: Int64?
        var integer: Int?
        var double: Double?
        var text: String?
        var data: Data?
        var date: Date?
        var uuid: UUID?
        var flags: [Bool]?

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

        init(id: Int64?, using random: inout SeededRandom) {
            self.id = id
            func maybe<T>(_ value: T) -> T? { Bool.random(using: &random) ? value : nil }
            integer = maybe(Int.random(in: .min ... .max, using: &random))
            double = maybe(Double(bitPattern: random.next())).flatMap { $0.isNaN ? nil : $0 }
            text = maybe(Self.text(&random))
            data = maybe(
                Data(
                    (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            )
            date = maybe(
                Date(
                    timeIntervalSinceReferenceDate: Double(
                        Int.random(in: -30_000_000_000_000...200_000_000_000_000, using: &random)) / 1000))
            uuid = maybe(UUID())
            flags = maybe((0..<3).map { _ in Bool.random(using: &random) })
        }

        private static func text(_ random: inout SeededRandom) -> String {
            let pieces = ["", "'", "\"", "\0", "é", "🎈", "a", ";", "--", "\n", "%s"]
            return (0..<Int.random(in: 0...30, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
        }
    }

    fileprivate struct SeededRandom: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func anyValue(seed: UInt64) throws {
        var random = SeededRandom(state: seed)
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY, integer, double REAL, text, data, date, uuid, flags)")
            var thing = Thing(id: nil, using: &random)
            try thing.insert(db)
            expectEqual(try Thing.find(db, key: thing.id), thing)

            var other = Thing(id: thing.id, using: &random)
            try other.update(db)
            expectEqual(try Thing.fetchAll(db), [other])

            thing = Thing(id: thing.id, using: &random)
            let hasChanged = try thing.updateChanges(db, from: other)
            #expect(hasChanged == !thing.databaseEquals(other))
            expectEqual(try Thing.fetchAll(db), [thing])

            try other.save(db)
            expectEqual(try Row.fetchAll(db, Thing.all()).map(Thing.init(row:)), [other])
            expectEqual(try thing.upsertAndFetch(db), thing)
            expectEqual(try other.updateAndFetch(db), other)
            expectEqual(try other.delete(db), true)
            expectEqual(try Thing.fetchCount(db), 0)
        }
    }
}
#endif
