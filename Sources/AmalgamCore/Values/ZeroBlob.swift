import CAmalgam
import Foundation

/// A blob of zeros that takes no memory: room to be filled through a ``DatabaseBlob``.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO file (content) VALUES (?)", arguments: [ZeroBlob(count: 1_000_000)])
/// try db.execute(literal: "INSERT INTO file (content) VALUES (\(ZeroBlob(count: 1_000_000)))")
/// // INSERT INTO file (content) VALUES (ZEROBLOB(?))
/// ```
///
/// As the argument of a literal array or in an SQL literal, its bytes are never in memory; SQLite writes them page by
/// page when the column is the last one of its table. Elsewhere (in a dictionary, as a ``DatabaseValue``) it is a blob
/// like others.
///
/// Binding throws `SQLITE_TOOBIG` for more bytes than the connection allows:
/// <https://sqlite.org/c3ref/bind_blob.html>, <https://sqlite.org/limits.html#max_length>.
public struct ZeroBlob: Hashable, Sendable {
    /// The number of bytes.
    public let count: Int

    /// A blob of zeros.
    ///
    /// - Parameter count: the number of bytes. A negative number is taken for 0, as SQLite does.
    public init(count: Int) {
        self.count = max(0, count)
    }
}

extension ZeroBlob: DatabaseValueConvertible {
    /// A BLOB, with all its bytes.
    ///
    /// SQLite stores no blob of more than 2,147,483,647 bytes: a larger one is a blob that is just too large.
    public var databaseValue: DatabaseValue { Data(count: min(count, Int(Int32.max) + 1)).databaseValue }

    /// The number of bytes of a blob that holds nothing but zeros; nil for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> ZeroBlob? {
        guard case .blob(let data) = dbValue.storage, data.allSatisfy({ $0 == 0 }) else { return nil }
        return ZeroBlob(count: data.count)
    }

    /// Binds zeros, without making them.
    ///
    /// - Returns: `SQLITE_TOOBIG` for more bytes than the connection allows.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_zeroblob64(sqliteStatement, index, UInt64(count))
    }

    /// `ZEROBLOB(?)`
    public var sqlExpression: SQLExpression { SQLExpression(node: ZeroBlobNode(count: count)) }
}

private struct ZeroBlobNode: SQLNode {
    let count: Int

    var isAtom: Bool { true }

    func write(to writer: inout SQLWriter) throws {
        writer.append("ZEROBLOB(")
        writer.append(count.databaseValue)
        writer.append(")")
    }
}
