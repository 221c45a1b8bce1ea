public import CAmalgam

/// A type that is decoded directly from a column of a statement.
///
/// Adopt this protocol in addition to ``DatabaseValueConvertible`` for types that are fetched in large numbers.
/// Decoding then doesn't create an intermediate ``DatabaseValue``.
///
/// ```swift
/// extension Celsius: StatementColumnConvertible {  // a DatabaseValueConvertible type with a property `degrees`
///     init?(sqliteStatement: SQLiteStatement, index: CInt) {
///         guard let degrees = Double.fromStatement(sqliteStatement, atUncheckedIndex: index) else { return nil }
///         self.init(degrees: degrees)
///     }
/// }
/// ```
///
/// Decoding from the statement uses SQLite's own conversions (<https://sqlite.org/c3ref/column_blob.html>):
/// - A TEXT value is decoded as a number by reading its numeric prefix, or as 0 if there is no prefix.
/// - A number is decoded as a `String` as SQLite prints it.
///
/// The copied rows of `Row.fetchAll` and of requests with `including(all:)` don't convert these values: decoding throws
/// a ``RowDecodingError``. A column of a STRICT table (<https://sqlite.org/stricttables.html>) that is decoded as its
/// declared type needs no conversion: decoding from statements and from copied rows returns the same values.
///
/// With ``Configuration/strictDecoding``, decoding from statements throws for these values too, also in types that call
/// `fromStatement` of a standard type, as above. The initializers of `Int64`, `Double`, `Bool`, `String` and `Data` with
/// a statement convert nevertheless: they can't fail.
public protocol StatementColumnConvertible {
    /// Decodes the value of a column of the current row. Returns nil if the value can't be converted.
    ///
    /// The default `fromStatement(_:atUncheckedIndex:)` doesn't call this initializer for NULL.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that has a current row.
    ///   - index: the index of the column, from 0. The column must exist.
    init?(sqliteStatement: SQLiteStatement, index: CInt)

    /// Decodes the value of a column that may be NULL. Returns nil for NULL, and if the value can't be converted.
    static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self?
}

extension StatementColumnConvertible {
    @inlinable
    public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Self? {
        if amalgam_column(sqliteStatement, index).pointee.isNull { return nil }
        return self.init(sqliteStatement: sqliteStatement, index: index)
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible {
    /// Decodes a value whose storage class isn't the usual one of the type, with SQLite's conversion. On a connection
    /// with ``Configuration/strictDecoding``, decodes it as in a copied row. Not inlined, so that loops over the
    /// frequent cases stay small.
    @inlinable
    @inline(never)
    static func converted(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
        if amalgam_decodes_strictly(sqliteStatement) != 0 {
            return fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
        }
        return Self(sqliteStatement: sqliteStatement, index: index)
    }
}

// The flags AMALGAM_NULL, … are constants of shims/value.h, where the C compiler checks that they equal SQLite's flags.
extension amalgam_value {
    /// Whether any of these flags is set.
    @inlinable @inline(__always)
    package func contains(_ flags: Int) -> Bool { Int(self.flags) & flags != 0 }

    @inlinable @inline(__always)
    package var isNull: Bool { contains(AMALGAM_NULL) }

    /// Whether the value is an integer. SQLite may have added a TEXT form to it.
    @inlinable @inline(__always)
    package var isInteger: Bool { contains(AMALGAM_INTEGER) }

    @inlinable @inline(__always)
    package var isReal: Bool { contains(AMALGAM_REAL) }

    @inlinable @inline(__always)
    package var real: Double { Double(bitPattern: UInt64(bitPattern: integer)) }

    /// Whether the value is a UTF-8 string whose bytes can be read in place. False for a number to which SQLite has
    /// added a TEXT form.
    @inlinable @inline(__always)
    package var isText: Bool {
        let classes = AMALGAM_TEXT | AMALGAM_INTEGER | AMALGAM_REAL | AMALGAM_INTEGER_AS_REAL
        return Int(flags) & classes == AMALGAM_TEXT && CInt(encoding) == SQLITE_UTF8
    }

    /// Whether the value is a BLOB whose bytes can be read in place.
    @inlinable @inline(__always)
    package var isBlob: Bool { contains(AMALGAM_BLOB) && !contains(AMALGAM_TEXT | AMALGAM_ZERO_FILLED) }
}
