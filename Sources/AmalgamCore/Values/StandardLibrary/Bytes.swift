public import CAmalgam

// How texts and blobs travel between Swift and SQLite: as bytes, never as C strings.

extension amalgam_value {
    /// The bytes of a text or blob, valid until the statement moves.
    @usableFromInline @inline(__always)
    package var buffer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: Int(length))
    }
}

/// Calls `body` with the UTF-8 bytes of the text SQLite converts a column to.
package func withTextBytes<Result>(
    of sqliteStatement: SQLiteStatement, _ index: CInt, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
    // sqlite3_column_bytes must come second: it counts the bytes of the last conversion.
    let text = sqlite3_column_text(sqliteStatement, index)
    let count = sqlite3_column_bytes(sqliteStatement, index)
    return body(UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(count)))
}

/// Calls `body` with the bytes of the blob SQLite converts a column to.
package func withBlobBytes<Result>(
    of sqliteStatement: SQLiteStatement, _ index: CInt, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
    let blob = sqlite3_column_blob(sqliteStatement, index)
    let count = sqlite3_column_bytes(sqliteStatement, index)
    return body(UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : Int(count)))
}

/// Binds a copy of UTF-8 bytes. No byte is the empty text, not NULL.
@inlinable
package func bindText(
    _ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt
) -> CInt {
    // SQLite takes a null pointer for NULL.
    let start = bytes.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)
    return sqlite3_bind_text64(
        sqliteStatement, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
        transientDestructor, UInt8(SQLITE_UTF8))
}

/// Binds a copy of bytes. No byte is the empty blob, not NULL.
@inlinable
package func bindBlob(
    _ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt
) -> CInt {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
        // Any pointer but null, which means NULL. A zeroblob(0) would show as such in the expanded SQL.
        return sqlite3_bind_blob64(sqliteStatement, index, StaticString("").utf8Start, 0, nil)
    }
    return sqlite3_bind_blob64(sqliteStatement, index, start, UInt64(bytes.count), transientDestructor)
}
