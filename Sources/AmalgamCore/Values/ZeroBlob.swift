import CAmalgam
import Foundation

/// A blob of zeros that isn't allocated in memory. It reserves space in a row, which is later written through a
/// ``DatabaseBlob``.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO file (content) VALUES (?)", arguments: [ZeroBlob(count: 1_000_000)])
/// try db.execute(literal: "INSERT INTO file (content) VALUES (\(ZeroBlob(count: 1_000_000)))")
/// // INSERT INTO file (content) VALUES (ZEROBLOB(?))
/// ```
///
/// The zeros aren't allocated if the blob is an argument in an array literal, or is interpolated in an SQL literal, as
/// in the examples. If the blob is in the last column of the table, SQLite writes the zeros page by page. In a
/// dictionary of arguments, or as a ``DatabaseValue``, the blob becomes an ordinary blob in memory.
///
/// Binding throws `SQLITE_TOOBIG` if ``count`` exceeds the length limit of the connection:
/// <https://sqlite.org/c3ref/bind_blob.html>, <https://sqlite.org/limits.html#max_length>.
public struct ZeroBlob: Hashable, Sendable {
    /// The size in bytes.
    public let count: Int

    /// Creates a blob of zeros.
    ///
    /// - Parameter count: the size in bytes. As in SQLite, a negative size is treated as 0.
    public init(count: Int) {
        self.count = max(0, count)
    }
}

extension ZeroBlob: DatabaseValueConvertible {
    /// A BLOB value with all its bytes.
    ///
    /// SQLite's blobs have at most 2,147,483,647 bytes. For a larger ``count``, the value has one byte more than this
    /// limit, so that binding it fails.
    public var databaseValue: DatabaseValue { Data(count: min(count, Int(Int32.max) + 1)).databaseValue }

    /// Returns the size of a BLOB value that consists of zeros; nil for other values.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> ZeroBlob? {
        guard case .blob(let data) = dbValue.storage, data.allSatisfy({ $0 == 0 }) else { return nil }
        return ZeroBlob(count: data.count)
    }

    /// Binds the zeros, without allocating them.
    ///
    /// - Returns: an SQLite result code, such as `SQLITE_TOOBIG` if the size exceeds the limit of the connection.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_zeroblob64(sqliteStatement, index, UInt64(count))
    }

    /// The SQL expression `ZEROBLOB(?)`.
    public var sqlExpression: SQLExpression { SQLExpression(node: ZeroBlobNode(count: count)) }
}

private struct ZeroBlobNode: SQLNode {
    let count: Int

    var isAtom: Bool { true }

    var nestedNodes: [any SQLNode] { [] }

    func write(to writer: inout SQLWriter) throws {
        writer.append("ZEROBLOB(")
        writer.append(count.databaseValue)
        writer.append(")")
    }
}
