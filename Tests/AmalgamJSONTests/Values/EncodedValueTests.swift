import Amalgam
import Foundation
import TestSupport
import Testing

/// Swift values with another form in JSON than in columns: dates, UUIDs, data, decimals.
struct EncodedValueTests {
    struct Info: Codable, Equatable {
        var since: Date
        var uid: UUID
        var seal: Data
        var price: Decimal
        var flag = true
    }

    struct Member: Codable, FetchableRecord, PersistableRecord, Equatable {
        enum Columns {
            static let id = Column("id")
            static let info = JSONColumn("info")
        }

        var id: Int64
        var info: Info
    }

    struct BinaryMember: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "member"
        static func databaseJSONEncoder(for column: String) -> JSONEncoder { JSONBEncoder() }
        static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }

        enum Columns {
            static let info = JSONBColumn("info")
        }

        var id: Int64
        var info: Info
    }

    private static let date = Date(timeIntervalSince1970: 1_700_000_000.125)
    private static let info = Info(
        since: date, uid: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, seal: Data([0xFB, 0xFF, 1]),
        price: Decimal(string: "10.5")!)

    private func withMembers<T>(_ test: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE member (id INTEGER PRIMARY KEY, info)")
            return try test(db)
        }
    }

    /// Conditions that are true for the JSON of the member.
    private func conditions(_ info: JSONColumn) -> [SQLExpression] {
        let (date, uid) = (Self.date, Self.info.uid)
        var conditions: [SQLExpression] = []
        conditions.append(info["since"] == date)
        conditions.append(date == info["since"])
        conditions.append(info[\.since] == Optional(date))
        conditions.append(info["since"] === date)
        conditions.append(info["since"] > date.addingTimeInterval(-1))
        conditions.append(info["since"] < date.addingTimeInterval(1))
        conditions.append(date >= info["since"])
        conditions.append([date, .distantPast].contains(info["since"]))
        conditions.append((Date.distantPast...date).contains(info["since"]))
        conditions.append((Date.distantPast..<Date.distantFuture).contains(info["since"]))
        conditions.append(
            info["since"] == NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        conditions.append(info["uid"] == uid)
        conditions.append(info["uid"].collating(.nocase) == uid)
        conditions.append(info.jsonExtract(atPath: "$.uid") == uid)
        conditions.append(info["seal"] == Self.info.seal)
        conditions.append(info["price"] == Self.info.price)
        conditions.append(info["flag"] == true)
        return conditions
    }

    @Test("a value is found in the JSON of a record, as text and as JSONB")
    func comparisons() throws {
        try withMembers { db in
            let conditions = conditions(JSONColumn("info"))
            try Member(id: 1, info: Self.info).insert(db)
            for condition in conditions { expectEqual(try Member.filter(condition).fetchCount(db), 1) }
            try Member.deleteAll(db)
            try BinaryMember(id: 1, info: Self.info).insert(db)
            for condition in conditions { expectEqual(try BinaryMember.filter(condition).fetchCount(db), 1) }
        }
    }

    @Test("a date that is later is not found")
    func otherDates() throws {
        try withMembers { db in
            try Member(id: 1, info: Self.info).insert(db)
            expectEqual(try Member.filter { $0.info["since"] > Date(timeIntervalSince1970: 1.8e9) }.fetchCount(db), 0)
            expectEqual(try Member.filter { $0.info["uid"] == UUID() }.fetchCount(db), 0)
        }
    }

    @Test("the SQL compares with what the encoder writes; columns and aliases are the same")
    func sql() throws {
        let date = Date(timeIntervalSince1970: 60)
        try expectSQL(
            Book.filter { $0.info["since"] > date }, #"SELECT * FROM "book" WHERE ("info" ->> 'since') > 60000"#)
        let book = TableAlias<Book>(name: "b")
        try expectSQL(
            Book.aliased(book).filter(book.info["since"] == date),
            #"SELECT "b".* FROM "book" "b" WHERE ("b"."info" ->> 'since') = 60000"#)
        // The form that columns store.
        try expectSQL(
            Book.filter { $0.info["since"] == date.databaseValue },
            #"SELECT * FROM "book" WHERE ("info" ->> 'since') = '1970-01-01 00:01:00.000'"#)
        try expectSQL(
            Book.filter { $0.title == date }, #"SELECT * FROM "book" WHERE "title" = '1970-01-01 00:01:00.000'"#)
    }

    @Test("a column with an encoder compares with what this encoder writes, and edits with it")
    func encoders() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let info = JSONColumn("info", encoder: encoder)
        let date = Date(timeIntervalSince1970: 0)
        let request = Book.filter(info["since"] == date)
        try expectSQL(request, #"SELECT * FROM "book" WHERE ("info" ->> 'since') = '1970-01-01T00:00:00Z'"#)
        try expectSQL(
            Book.filter(Column("info").asJSON(encoder: encoder)["since"] == date),
            #"SELECT * FROM "book" WHERE ("info" ->> 'since') = '1970-01-01T00:00:00Z'"#)
        let book = TableAlias<Book>()
        try expectSQL(
            Book.aliased(book).filter(book[info]["since"] == date),
            #"SELECT * FROM "book" WHERE ("info" ->> 'since') = '1970-01-01T00:00:00Z'"#)
        try withLibrary { db in
            try Book.filter(id == 1).updateAll(db, info.edit(.set(["since"], to: date)))
            expectEqual(try request.fetchCount(db), 1)
        }
    }

    @Test("an edit puts in what the record reads", arguments: [false, true])
    func edits(isBinary: Bool) throws {
        let other = Info(since: Date(timeIntervalSince1970: 1), uid: UUID(), seal: Data(), price: 2, flag: false)
        let edits: [JSONEdit] = [
            .set(["since"], to: other.since), .replace(["uid"], with: other.uid), .set(["seal"], to: other.seal),
            .set(["price"], to: other.price), .set(["flag"], to: other.flag),
        ]
        try withMembers { db in
            if isBinary {
                try BinaryMember(id: 1, info: Self.info).insert(db)
                try BinaryMember.updateAll(db) { $0.info.edit(edits) }
                expectEqual(try BinaryMember.fetchOne(db), BinaryMember(id: 1, info: other))
            } else {
                try Member(id: 1, info: Self.info).insert(db)
                try Member.updateAll(db) { $0.info.edit(edits) }
                expectEqual(try Member.fetchOne(db), Member(id: 1, info: other))
            }
        }
    }

    @Test("a value that its column stores as JSON is a part of the JSON, not a string")
    func containers() throws {
        struct Address: Codable, DatabaseValueConvertible { var city: String }
        try withLibrary { db in
            try Book.filter(id == 2).updateAll(db) {
                $0.info.edit(.set(["address"], to: Address(city: "Rome")), .remove(["year"]), .remove(["draft"]))
            }
            let info = try String.fetchOne(db, sql: "SELECT info FROM book WHERE id = 2")
            expectEqual(info, #"{"country":"GB","address":{"city":"Rome"}}"#)
        }
    }

    @Test("elements of a list are compared in the same form")
    func elements() throws {
        let dates = [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)]
        try withLibrary { db in
            let json = String(decoding: try Book.databaseJSON.encode(dates), as: UTF8.self)
            try db.execute(sql: "UPDATE book SET tags = ? WHERE id = 1", arguments: [json])
            expectEqual(try Book.filter { $0.tags.each.contains(dates[1]) }.fetchCount(db), 1)
            expectEqual(try Book.filter { $0.tags.each.contains { $0.value == dates[1] } }.fetchCount(db), 1)
            expectEqual(
                try Book.filter { $0.id == 1 && $0.tags.each.allSatisfy { $0.value > dates[0] } }.fetchCount(db), 0)
        }
    }

    @Test("a value that does not encode is an error that says so")
    func valuesThatDoNotEncode() throws {
        try withLibrary { db in
            let error = #expect(throws: DatabaseError.self) {
                try Book.filter { $0.info["year"] == Float.nan }.fetchCount(db)
            }
            #expect(error?.resultCode == .SQLITE_MISMATCH)
            #expect(error?.message?.contains("Float does not encode") == true)
        }
    }

    @Test("nil is NULL")
    func null() throws {
        try expectSQL(
            Book.filter { $0.info["since"] == (nil as Date?) },
            #"SELECT * FROM "book" WHERE ("info" ->> 'since') IS NULL"#)
        try expectValue(Database.jsonArray([(nil as SQLExpression?).asJSON]), "JSON_ARRAY(NULL)", "[null]")
    }
}

extension Book {
    fileprivate static var databaseJSON: JSONEncoder { DatabaseValue.databaseJSONEncoder() }
}
