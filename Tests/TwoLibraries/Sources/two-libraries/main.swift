import Amalgam
import SystemSQLite

// Opens a database with the system's SQLite and one with Amalgam, in one process, and prints both versions.

let system = systemVersion()
let amalgam = try DatabaseQueue().read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }

print("the system's SQLite: \(system ?? "none")")
print("Amalgam's SQLite:    \(amalgam ?? "none")")

precondition(system == systemLibraryVersion(), "the system's database was opened by another library")
precondition(amalgam == SQLiteBuild.version, "Amalgam's database was opened by another library")
precondition(
    system != amalgam || systemLibraryVersion() == SQLiteBuild.version, "one library answered for both databases")
print("two libraries, one process")
