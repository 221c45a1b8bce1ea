import CAmalgam
import Foundation
import Workload

/// A row of `profiles`.
private struct Profile {
    var id: Int
    var name: String
    var email: String
    var score: Double
    var seen: Date
}

/// The case `records-macro-mixed` of `bench-c`: an array of structs, by SQLite's C interface.
@_cdecl("floor_records_mixed")
public func recordsMixed(_ db: OpaquePointer) -> Int64 {
    var sum: Int64 = 0
    for profile in profiles(db) {
        sum &+= Int64(profile.id) &+ Int64(profile.name.utf8.count) &+ Int64(profile.email.utf8.count)
        sum &+= Int64(profile.score) &+ Int64((profile.seen.timeIntervalSinceReferenceDate * 1000).rounded())
    }
    return sum
}

private func profiles(_ db: OpaquePointer) -> [Profile] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(db, PROFILES_SELECT, -1, &statement, nil) == SQLITE_OK else { fatalError() }
    defer { sqlite3_finalize(statement) }
    var profiles: [Profile] = []
    while sqlite3_step(statement) == SQLITE_ROW {
        profiles.append(
            Profile(
                id: Int(sqlite3_column_int64(statement, 0)), name: text(statement, 1), email: text(statement, 2),
                score: sqlite3_column_double(statement, 3), seen: date(statement, 4)))
    }
    return profiles
}
