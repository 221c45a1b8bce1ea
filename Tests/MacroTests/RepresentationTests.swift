#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

private enum Direction: String { case north, south }

private struct Milliseconds: DatabaseRepresentation {
    func databaseValue(of duration: Duration) -> DatabaseValue { Int64(duration / .milliseconds(1)).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Duration? {
        Int64.fromDatabaseValue(databaseValue).map { .milliseconds($0) }
    }
}

@Record("trip")
private struct Trip: Equatable {
    @Key var id: Int64
    @Column(as: .unixTime) var start: Date
    @Column(as: .iso8601) var stop: Date?
    @Column(as: .json) var tags: [String]
    @Column(as: .jsonb) var stops: [String: Int]
    @Column(as: .rawValue) var direction: Direction
    @Column(as: Milliseconds()) var time: Duration
    @Column(as: .json) var title: String
}

@Suite("Representations")
struct RepresentationTests {
    private func withTrips<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE trip (id PRIMARY KEY, start, stop, tags, stops, direction, time, title)")
            return try body(db)
        }
    }

    private let trip = Trip(
        id: 1, start: Date(timeIntervalSince1970: 1_700_000_000), stop: Date(timeIntervalSince1970: 1_700_000_060),
        tags: ["a", "b"], stops: ["x": 1], direction: .south, time: .seconds(61.5), title: "t")

    @Test("what is stored")
    func stored() throws {
        try withTrips { db in
            try trip.insert(db)
            let row = try #require(
                try Row.fetchOne(
                    db, sql: "SELECT start, stop, tags, typeof(stops), json(stops), direction, time, title FROM trip"))
            expectEqual(
                row.databaseValues.map(\.description),
                [
                    "1700000000", #""2023-11-14T22:14:20Z""#, #""[\"a\",\"b\"]""#, #""blob""#, #""{\"x\":1}""#,
                    #""south""#,
                    "61500", #""\"t\"""#,
                ])
            expectEqual(try Trip.fetchOne(db, key: 1), trip)
            expectEqual(try Row.fetchOne(db, sql: "SELECT * FROM trip").map { try Trip(row: $0) }, trip)
        }
    }

    @Test("nil is NULL, and isn't asked of the representation")
    func null() throws {
        try withTrips { db in
            var trip = trip
            trip.stop = nil
            try trip.insert(db)
            expectEqual(try DatabaseValue.fetchOne(db, sql: "SELECT stop FROM trip"), .null)
            expectEqual(try Trip.fetchOne(db, key: 1), trip)
        }
    }

    @Test("columns compare stored values")
    func columns() throws {
        try withTrips { db in
            try trip.insert(db)
            let date = Date(timeIntervalSince1970: 1_600_000_000)
            let request = Trip.filter { $0.start > date && $0.stop > date }.select(\.id)
            let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
            expectEqual(statement.sql, #"SELECT "id" FROM "trip" WHERE ("start" > ?) AND ("stop" > ?)"#)
            expectEqual(statement.arguments, [1_600_000_000, "2020-09-13T12:26:40Z"])
            expectEqual(try Trip.filter { $0.start > date && $0.stop > date }.fetchCount(db), 1)
        }
    }

    private func sql(_ db: Database, _ request: QueryInterfaceRequest<Trip>) throws -> String {
        let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
        return "\(statement.sql) \(statement.arguments)"
    }

    @Test("columns compare and assign raw values")
    func rawValues() throws {
        try withTrips { db in
            try trip.insert(db)
            let ids = Trip.select(\.id)
            expectEqual(
                try sql(db, ids.filter { $0.direction == .south && $0.direction != .north }),
                #"SELECT "id" FROM "trip" WHERE ("direction" = ?) AND ("direction" <> ?) ["south", "north"]"#)
            let optional = TypedColumn<Direction?>("direction")
            let none: Direction? = nil
            expectEqual(
                try sql(db, ids.filter { _ in optional == .south && optional != none && optional != nil }),
                """
                SELECT "id" FROM "trip" WHERE ("direction" = ?) AND ("direction" IS NOT NULL) \
                AND ("direction" IS NOT NULL) ["south"]
                """)
            try Trip.updateAll(db) { [$0.direction.set(to: .north)] }
            expectEqual(try Trip.fetchOne(db, key: 1)?.direction, .north)
            try Trip.updateAll(db) { _ in [optional.set(to: none)] }
            expectEqual(try DatabaseValue.fetchOne(db, sql: "SELECT direction FROM trip"), .null)
        }
    }

    @Test("the smallest and the largest value of a column have its format")
    func aggregates() throws {
        try withTrips { db in
            let date = Date(timeIntervalSince1970: 60)
            let ids = Trip.select(\.id).group(\.id)
            expectEqual(
                try sql(db, ids.having { max($0.start) > date && min($0.stop) < date }),
                """
                SELECT "id" FROM "trip" GROUP BY "id" HAVING (MAX("start") > ?) AND (MIN("stop") < ?) \
                [60, "1970-01-01T00:01:00Z"]
                """)
            expectEqual(
                try sql(
                    db,
                    ids.having {
                        max($0.start) == nil && max($0.start).sqlExpression - min($0.start).sqlExpression > 10
                    }),
                """
                SELECT "id" FROM "trip" GROUP BY "id" HAVING (MAX("start") IS NULL) \
                AND ((MAX("start") - MIN("start")) > ?) [10]
                """)
        }
    }

    @Record("photo")
    struct Photo {
        @Key var id: Int64
        @Column(as: .json) var tags: [String]
        @Column(as: .jsonb) var sizes: [Int]?
    }

    @Test("an error of JSON tells the column and the row")
    func invalidJSON() throws {
        try DatabaseQueue().write { db in
            for (sql, column) in [
                (#"SELECT 5 AS id, '["a",1]' AS tags, NULL AS sizes"#, "tags"),
                (#"SELECT 5 AS id, '[]' AS tags, jsonb('["a"]') AS sizes"#, "sizes"),
                (#"SELECT 5 AS id, '[]' AS tags, '{' AS sizes"#, "sizes"),
            ] {
                let error = #expect(throws: DecodingError.self) { _ = try Photo.fetchOne(db, sql: sql) }
                let text = error.map { "\($0)" } ?? ""
                #expect(text.contains("column: \"\(column)\""), "\(text)")
                #expect(text.contains("row: [id:5 "), "\(text)")
            }
        }
    }

    @Test("a stored value that isn't one of the representation is an error with the name of the column")
    func invalid() throws {
        try withTrips { db in
            try trip.insert(db)
            try db.execute(sql: "UPDATE trip SET direction = 'up'")
            let error = #expect(throws: RowDecodingError.self) { _ = try Trip.fetchOne(db, key: 1) }
            #expect(error.map { "\($0)" }?.contains("direction") == true)
        }
    }
}
#endif
