#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// A `DecodingError` of a value inside JSON tells where the JSON is.
struct JSONErrorTests {
    fileprivate struct Address: Codable, Equatable {
        var city: String
        var lines: [Int]?
    }

    #if MACRO_RECORDS
    @Record("person")
    #endif
    fileprivate struct Person: StoredRecord {
        static let databaseTableName = "person"
        var id: Int64
        var address: Address
        var second: Address?
    }

    private func withPeople(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (id INTEGER PRIMARY KEY, address, second);
                    INSERT INTO person VALUES (1, '{"city":"Rome"}', NULL), (2, '{"city":"Oslo"}', NULL)
                    """)
            try test(db)
        }
    }

    /// Expects an error whose text has all parts.
    private func expectError(
        _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation, performing: body)
        let text = error.map { "\($0)" } ?? ""
        for part in parts { #expect(text.contains(part), "\(text)", sourceLocation: sourceLocation) }
    }

    @Test("the column, the row and the SQL are in the description, and the path in the JSON is the coding path")
    func locations() throws {
        try withPeople { db in
            for (json, part) in [
                (#"{"town":"Rome"}"#, "city"), (#"{"city":[1]}"#, "city"), (#"{"city":null}"#, "city"),
                (#"{"city":"Rome","lines":[1,"x"]}"#, "lines"), ("{", "JSON"),
            ] {
                try db.execute(sql: "UPDATE person SET address = ? WHERE id = 2", arguments: [json])
                expectError(part, #"column: "address", column index: 1, row: [id:2 "#, "SELECT") {
                    _ = try Person.fetchAll(db)
                }
            }
            let error = #expect(throws: DecodingError.self) {
                try db.execute(sql: #"UPDATE person SET address = '{"city":"Rome","lines":[1,"x"]}' WHERE id = 2"#)
                _ = try Person.fetchAll(db)
            }
            guard case .typeMismatch(_, let context) = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(context.codingPath.map(\.stringValue) == ["lines", "Index 1"])
        }
    }

    @Test("an optional property, and a copied row")
    func optionalsAndCopies() throws {
        try withPeople { db in
            try db.execute(sql: "UPDATE person SET second = '{}' WHERE id = 2")
            expectError("city", #"column: "second", column index: 2, row: [id:2 "#) { _ = try Person.fetchAll(db) }
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM person ORDER BY id")
            expectError("city", #"column: "second", column index: 2, row: [id:2 "#) { _ = try Person(row: rows[1]) }
        }
    }
}
#endif
