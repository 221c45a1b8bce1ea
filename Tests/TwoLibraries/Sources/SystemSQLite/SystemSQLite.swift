internal import CSystemSQLite

/// The version that the system's library returns through a connection.
public func systemVersion() -> String? {
    var connection: OpaquePointer?
    var statement: OpaquePointer?
    defer {
        sqlite3_finalize(statement)
        sqlite3_close(connection)
    }
    guard sqlite3_open(":memory:", &connection) == SQLITE_OK,
        sqlite3_prepare_v2(connection, "SELECT sqlite_version()", -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW,
        let text = sqlite3_column_text(statement, 0)
    else { return nil }
    return String(cString: text)
}

/// The version compiled into the system's library.
public func systemLibraryVersion() -> String { String(cString: sqlite3_libversion()) }
