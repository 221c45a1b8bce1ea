import CAmalgam
import Foundation

/// SQLite's own conversions.
final class SQLiteJSON {
    private let connection: OpaquePointer?
    private let toText, toBinary, validity: OpaquePointer

    deinit {
        for statement in [toText, toBinary, validity] { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    init() throws {
        var connection: OpaquePointer?
        try expect(sqlite3_open(":memory:", &connection) == SQLITE_OK, "no database")
        func statement(_ sql: String) throws -> OpaquePointer {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
                throw BrokenPromise(description: String(cString: sqlite3_errmsg(connection)))
            }
            return statement
        }
        toText = try statement("SELECT json(?1), json_valid(json(?1), 1)")
        self.connection = connection
        toBinary = try statement("SELECT jsonb(?)")
        validity = try statement("SELECT json_valid(?, 8)")
    }

    /// Returns the text of JSONB, if it is JSON by RFC 8259, or an empty string if it isn't; nil if there is none.
    func json(_ jsonb: Data) -> (json: String, isUTF8: Bool)? {
        step(toText, jsonb) { statement in
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(statement, 0), count: Int(sqlite3_column_bytes(statement, 0)))
            guard sqlite3_column_int(statement, 1) == 1 else { return ("", true) }
            return (String(decoding: bytes, as: UTF8.self), String(validating: bytes, as: UTF8.self) != nil)
        }
    }

    func jsonb(_ text: String) -> Data? {
        var text = text
        return text.withUTF8 { utf8 in
            sqlite3_bind_text64(
                toBinary, 1, UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self),
                UInt64(utf8.count),
                nil, UInt8(SQLITE_UTF8))
            return row(toBinary) { statement in
                sqlite3_column_blob(statement, 0).map {
                    Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, 0)))
                }
            } ?? nil
        }
    }

    func isValid(_ jsonb: Data) -> Bool { step(validity, jsonb) { sqlite3_column_int($0, 0) == 1 } ?? false }

    private func step<T>(_ statement: OpaquePointer, _ jsonb: Data, _ result: (OpaquePointer) -> T) -> T? {
        jsonb.withUnsafeBytes { bytes in
            // A blob without bytes is NULL if its address is NULL.
            withUnsafePointer(to: 0 as UInt8) { none in
                sqlite3_bind_blob64(statement, 1, bytes.baseAddress ?? UnsafeRawPointer(none), UInt64(bytes.count), nil)
                return row(statement, result)
            }
        }
    }

    private func row<T>(_ statement: OpaquePointer, _ result: (OpaquePointer) -> T) -> T? {
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? result(statement) : nil
    }
}
