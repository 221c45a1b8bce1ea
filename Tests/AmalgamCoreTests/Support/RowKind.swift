import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

/// The origin of a row under test. All rows must behave the same: built ones, live ones, and copies of live ones, with
/// and without an adapter.
enum RowKind: String, CaseIterable, CustomTestStringConvertible {
    case built, live, copied, fetched, adapted, adaptedCopy

    var testDescription: String { rawValue }

    /// Calls a test with a row with these columns.
    func with(_ columns: KeyValuePairs<String, DatabaseValue>, _ test: (Row) throws -> Void) throws {
        if self == .built { return try test(Row(columns.map { ($0.key, $0.value) })) }
        try DatabaseKind.memory.run { db in
            let list = columns.map { "? AS \($0.key.quotedDatabaseIdentifier)" }
            let isAdapted = self == .adapted || self == .adaptedCopy
            let sql = "SELECT " + (isAdapted ? "'hidden' AS hidden, " : "") + list.joined(separator: ", ")
            let arguments = StatementArguments(columns.map(\.value))
            let adapter: (any RowAdapter)? = isAdapted ? SuffixRowAdapter(fromIndex: 1) : nil
            if self == .fetched {
                return try test(try #require(try Row.fetchOne(db, sql: sql, arguments: arguments)))
            }
            let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter)
            let row = try #require(try rows.next())
            try test(self == .copied || self == .adaptedCopy ? row.copy() : row)
            #expect(try rows.next() == nil)
        }
    }
}
