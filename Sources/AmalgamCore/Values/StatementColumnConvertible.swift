public import CAmalgam

/// A type that decodes itself straight from a column of the C statement.
///
/// Adopt it beside ``DatabaseValueConvertible`` for types fetched in large numbers: no intermediate
/// ``DatabaseValue`` is made.
///
/// ```swift
/// struct Celsius: DatabaseValueConvertible, StatementColumnConvertible {
///     var degrees: Double
///
///     init?(sqliteStatement: SQLiteStatement, index: CInt) {
///         degrees = Double(sqliteStatement: sqliteStatement, index: index)
///     }
/// }
/// ```
///
/// Decoding straight from the statement follows SQLite's own conversions
/// (<https://sqlite.org/c3ref/column_blob.html>): a TEXT value read as a number gives its numeric prefix, or 0, and a number
/// read as a `String` gives its text. A copied row doesn't convert them: it throws a ``RowDecodingError``. Rows are copied by
/// `Row.fetchAll`, and for requests with `including(all:)`. Values of the declared type, which a STRICT table guarantees
/// (<https://sqlite.org/stricttables.html>), are decoded alike in both.
public protocol StatementColumnConvertible {
    /// Decodes the value of a column of the current row, or returns nil when it does not convert.
    ///
    /// It is not called for NULL, except by ``fromStatement(_:atUncheckedIndex:)`` of types that give NULL a meaning.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that has just produced a row.
    ///   - index: the column, counted from 0, which exists.
    init?(sqliteStatement: SQLiteStatement, index: CInt)

    /// Decodes a column that may hold NULL: nil when it does, or when it does not convert.
    static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self?
}

extension StatementColumnConvertible {
    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
        if amalgam_column(sqliteStatement, index).pointee.isNull { return nil }
        return self.init(sqliteStatement: sqliteStatement, index: index)
    }
}

// The flags are those of the C enum AMALGAM_NULL, …, which the C compiler checks against SQLite's: see shims/value.h.
extension amalgam_value {
    /// Whether one of these flags is set.
    @usableFromInline @inline(__always)
    func contains(_ flags: Int) -> Bool { Int(self.flags) & flags != 0 }

    @usableFromInline @inline(__always)
    package var isNull: Bool { contains(AMALGAM_NULL) }

    /// The value is an integer. It may be a text as well, once SQLite was asked for it as a text: numbers are looked for
    /// before texts.
    @usableFromInline @inline(__always)
    package var isInteger: Bool { contains(AMALGAM_INTEGER) }

    @usableFromInline @inline(__always)
    package var isReal: Bool { contains(AMALGAM_REAL) }

    @usableFromInline @inline(__always)
    package var real: Double { Double(bitPattern: UInt64(bitPattern: integer)) }

    /// The value is a UTF-8 text whose bytes can be read in place.
    @usableFromInline @inline(__always)
    package var isText: Bool { contains(AMALGAM_TEXT) && CInt(encoding) == SQLITE_UTF8 }

    /// The value is a blob whose bytes can be read in place.
    @usableFromInline @inline(__always)
    package var isBlob: Bool { contains(AMALGAM_BLOB) && !contains(AMALGAM_TEXT | AMALGAM_ZERO_FILLED) }
}
