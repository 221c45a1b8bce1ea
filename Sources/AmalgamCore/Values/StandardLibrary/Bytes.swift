public import CAmalgam

// TEXT and BLOB values are passed to and from SQLite as bytes with a length, never as C strings.

extension amalgam_value {
    /// The bytes of a TEXT or BLOB value. They are valid until the statement is stepped or reset.
    @usableFromInline @inline(__always)
    package var buffer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: Int(length))
    }
}

/// Calls `body` with the UTF-8 bytes of a column, converted to TEXT by SQLite.
package func withTextBytes<Result>(
    of sqliteStatement: SQLiteStatement, _ index: CInt, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
    // sqlite3_column_bytes must come second, because it returns the length after the last conversion.
    let text = sqlite3_column_text(sqliteStatement, index)
    let count = sqlite3_column_bytes(sqliteStatement, index)
    return body(UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(count)))
}

/// Calls `body` with the bytes of a column, converted to BLOB by SQLite.
package func withBlobBytes<Result>(
    of sqliteStatement: SQLiteStatement, _ index: CInt, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
    let blob = sqlite3_column_blob(sqliteStatement, index)
    let count = sqlite3_column_bytes(sqliteStatement, index)
    return body(UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : Int(count)))
}

/// Binds a copy of UTF-8 bytes as TEXT. If there are none, it binds an empty string, not NULL.
@inlinable
package func bindText(
    _ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt
) -> CInt {
    // SQLite interprets a null pointer as NULL.
    let start = bytes.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)
    return sqlite3_bind_text64(
        sqliteStatement, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
        transientDestructor, UInt8(SQLITE_UTF8))
}

/// Binds a copy of bytes as BLOB. If there are none, it binds an empty blob, not NULL.
@inlinable
package func bindBlob(
    _ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt
) -> CInt {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
        // Any pointer but a null pointer, which means NULL. zeroblob(0) would appear as such in the expanded SQL.
        return sqlite3_bind_blob64(sqliteStatement, index, StaticString("").utf8Start, 0, nil)
    }
    return sqlite3_bind_blob64(sqliteStatement, index, start, UInt64(bytes.count), transientDestructor)
}
