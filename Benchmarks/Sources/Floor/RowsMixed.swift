import CAmalgam
import Foundation
import Workload

/// The case `rows-mixed` of `bench-c`: SQLite's C interface, called from Swift, because C can't create a `String` or a
/// `Data`. The values are read directly from the statement.
@_cdecl("floor_rows_mixed")
public func rowsMixed(_ db: OpaquePointer) -> Int64 {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(db, MIXED_SELECT, -1, &statement, nil) == SQLITE_OK else { fatalError() }
    defer { sqlite3_finalize(statement) }
    var sum: Int64 = 0
    while sqlite3_step(statement) == SQLITE_ROW {
        let id = sqlite3_column_int64(statement, 0)
        let name = text(statement, 1)
        let email = text(statement, 2)
        let score = sqlite3_column_double(statement, 3)
        let seen = date(statement, 4)
        let avatar = blob(statement, 5)
        sum &+= id &+ Int64(name.utf8.count) &+ Int64(email.utf8.count) &+ Int64(score)
        sum &+= Int64((seen.timeIntervalSinceReferenceDate * 1000).rounded()) &+ Int64(avatar?.count ?? 0)
    }
    return sum
}

func text(_ statement: OpaquePointer?, _ column: CInt) -> String {
    let start = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
}

func date(_ statement: OpaquePointer?, _ column: CInt) -> Date {
    let start = UnsafeRawPointer(sqlite3_column_text(statement, column)!).assumingMemoryBound(to: CChar.self)
    var seconds = 0.0
    guard parse_date(start, sqlite3_column_bytes(statement, column), &seconds) == 0 else { fatalError() }
    return Date(timeIntervalSinceReferenceDate: seconds)
}

private func blob(_ statement: OpaquePointer?, _ column: CInt) -> Data? {
    if sqlite3_column_type(statement, column) == SQLITE_NULL { return nil }
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return Data(UnsafeRawBufferPointer(start: start, count: count))
}
