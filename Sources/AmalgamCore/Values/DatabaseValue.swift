public import CAmalgam
public import Foundation

/// A value in one of SQLite's five storage classes: <https://sqlite.org/datatype3.html>.
///
/// ```swift
/// let row = try Row.fetchOne(db, sql: "SELECT 1, 'a', NULL")!
/// let values = Array(row.databaseValues)   // [1, "a", NULL]
/// ```
public struct DatabaseValue: Sendable {
    /// The storage class with its value.
    public let storage: Storage

    /// Whether SQLite can store the value. False for an integer above `Int64.max`, and for a `Codable` value that can't
    /// be encoded as JSON. Creating such a `DatabaseValue` succeeds; binding it throws an error.
    @usableFromInline
    package let isStorable: Bool

    /// Whether the value comes from a connection with ``Configuration/strictDecoding``. Only REAL and BLOB values are
    /// marked: `fromDatabaseValue` of the standard types doesn't convert values of other storage classes.
    @usableFromInline
    package let isStrict: Bool

    /// The NULL value.
    ///
    /// ```swift
    /// let values: [DatabaseValue] = [.null, 1.databaseValue, "a".databaseValue]
    /// ```
    public static let null = DatabaseValue(storage: .null)

    /// The five storage classes of SQLite, with their values.
    ///
    /// ```swift
    /// let dbValue: DatabaseValue = row["name"]
    /// switch dbValue.storage {
    /// case .int64(let integer): print(integer)
    /// case .string(let string): print(string)
    /// default: break
    /// }
    /// ```
    @frozen
    public enum Storage: Sendable {
        /// The NULL value.
        case null
        /// An INTEGER value.
        case int64(Int64)
        /// A REAL value.
        case double(Double)
        /// A TEXT value.
        case string(String)
        /// A BLOB value.
        case blob(Data)

        /// The value as `Int64`, `Double`, `String` or `Data`; nil for NULL.
        public var value: (any DatabaseValueConvertible)? {
            switch self {
            case .null: nil
            case .int64(let integer): integer
            case .double(let double): double
            case .string(let string): string
            case .blob(let data): data
            }
        }
    }

    @inlinable
    package init(storage: Storage, isStrict: Bool = false) {
        self.storage = storage
        self.isStrict = isStrict
        isStorable = true
    }

    /// Creates a value that SQLite can't store. Binding it fails with `SQLITE_MISMATCH`.
    ///
    /// - Parameter text: the value as a string, for descriptions and errors.
    @usableFromInline
    package init(unstorable text: String) {
        storage = .string(text)
        isStrict = false
        isStorable = false
    }

    /// Creates a database value from a Swift value whose type is known only at run time. The result is nil if the type
    /// isn't `DatabaseValueConvertible`.
    ///
    /// ```swift
    /// let score: Any = 20
    /// DatabaseValue(value: score)   // 20
    /// ```
    public init?(value: Any) {
        guard let convertible = value as? any DatabaseValueConvertible else { return nil }
        self = convertible.databaseValue
    }

    /// Creates a database value from a column of the statement's current row. In a TEXT value, bytes that aren't UTF-8
    /// become U+FFFD; ``Row/withUnsafeData(atIndex:_:)`` passes the original bytes.
    ///
    /// - Parameter index: the index of the column, from 0. The column must exist.
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        var isStrict: Bool { amalgam_decodes_strictly(sqliteStatement) != 0 }
        switch sqlite3_column_type(sqliteStatement, index) {
        case SQLITE_INTEGER:
            self.init(storage: .int64(sqlite3_column_int64(sqliteStatement, index)))
        case SQLITE_FLOAT:
            self.init(storage: .double(sqlite3_column_double(sqliteStatement, index)), isStrict: isStrict)
        case SQLITE_TEXT:
            self.init(storage: .string(String(sqliteStatement: sqliteStatement, index: index)))
        case SQLITE_BLOB:
            self.init(storage: .blob(Data(sqliteStatement: sqliteStatement, index: index)), isStrict: isStrict)
        default:
            self.init(storage: .null)
        }
    }

    /// Creates the value of a function argument, or of a pre-update event.
    package init(sqliteValue: OpaquePointer?) {
        self.init(storage: Storage(sqliteValue))
    }

    /// Creates a copy of an SQLite value. The fields of SQLite's structure are read directly, without a function call.
    package init(_ value: UnsafePointer<amalgam_value>) {
        switch value.pointee.storageClass {
        case AMALGAM_INTEGER:
            self.init(storage: .int64(value.pointee.integer))
        case AMALGAM_REAL:
            self.init(storage: .double(Double(bitPattern: UInt64(bitPattern: value.pointee.integer))))
        case AMALGAM_NULL:
            self.init(storage: .null)
        case AMALGAM_TEXT where CInt(value.pointee.encoding) == SQLITE_UTF8:
            let bytes = UnsafeRawBufferPointer(start: value.pointee.bytes, count: Int(value.pointee.length))
            self.init(storage: .string(String(decoding: bytes, as: UTF8.self)))
        default:
            self.init(sqliteValue: OpaquePointer(value))
        }
    }

    /// Creates a copy of an SQLite value. To read a TEXT value, SQLite may allocate memory for a terminating NUL. If
    /// the allocation fails, SQLite turns the value into NULL.
    ///
    /// - Throws: `SQLITE_NOMEM` if the allocation fails.
    package init(terminating sqliteValue: OpaquePointer) throws {
        if sqlite3_value_type(sqliteValue) == SQLITE_TEXT && sqlite3_value_text(sqliteValue) == nil {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        self.init(sqliteValue: sqliteValue)
    }

    /// Whether the value is NULL.
    @inlinable
    public var isNull: Bool {
        if case .null = storage { true } else { false }
    }
}

extension DatabaseValue.Storage {
    fileprivate init(_ sqliteValue: OpaquePointer?) {
        switch sqlite3_value_type(sqliteValue) {
        case SQLITE_INTEGER:
            self = .int64(sqlite3_value_int64(sqliteValue))
        case SQLITE_FLOAT:
            self = .double(sqlite3_value_double(sqliteValue))
        case SQLITE_TEXT:
            let bytes = sqlite3_value_text(sqliteValue)
            // If SQLite has no memory for the conversion, the pointer is null, and the length is meaningless.
            let count = bytes == nil ? 0 : Int(sqlite3_value_bytes(sqliteValue))
            self = .string(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = sqlite3_value_blob(sqliteValue)
            let count = Int(sqlite3_value_bytes(sqliteValue))
            self = .blob(bytes.map { Data(bytes: $0, count: count) } ?? Data())
        default:
            self = .null
        }
    }
}

// MARK: - Equality

extension DatabaseValue.Storage: Equatable {
    /// Returns whether both values have the same storage class and content: 1 and 1.0 differ.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.int64(let lhs), .int64(let rhs)): lhs == rhs
        case (.double(let lhs), .double(let rhs)): lhs == rhs
        case (.string(let lhs), .string(let rhs)): lhs.utf8.elementsEqual(rhs.utf8)
        case (.blob(let lhs), .blob(let rhs)): lhs == rhs
        default: false
        }
    }
}

extension DatabaseValue: Hashable {
    /// Returns whether both values have the same content. Numbers are compared as SQLite does: 1 equals 1.0.
    ///
    /// Therefore, a record equals its stored row: a REAL column returns 1.0 after the integer 1 is written to it.
    ///
    /// ```swift
    /// 1.databaseValue == 1.0.databaseValue                  // true
    /// 1.databaseValue.storage == 1.0.databaseValue.storage  // false
    /// 1.databaseValue == "1".databaseValue                  // false
    /// ```
    ///
    /// The comparison is exact, because the integer isn't converted to `Double`: 9007199254740993 doesn't equal
    /// 9007199254740992.0. See [Comparison expressions](https://www.sqlite.org/datatype3.html#comparison_expressions).
    public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
        switch (lhs.storage, rhs.storage) {
        case (.int64(let integer), .double(let double)), (.double(let double), .int64(let integer)):
            Int64(exactly: double) == integer
        default:
            lhs.storage == rhs.storage && lhs.isStorable == rhs.isStorable
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .null: hasher.combine(0)
        case .int64(let integer): hasher.combine(integer)
        case .double(let double):
            // 1.0 equals 1.
            if let integer = Int64(exactly: double) { hasher.combine(integer) } else { hasher.combine(double) }
        case .string(let string): string.utf8.forEach { hasher.combine($0) }
        case .blob(let data): hasher.combine(data)
        }
    }
}

// MARK: - Conversions

extension DatabaseValue: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { self }

    /// The expression of a bound argument, or `NULL`.
    public var sqlExpression: SQLExpression { SQLExpression(node: self) }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

    /// Binds the value to a statement parameter.
    ///
    /// - Returns: an SQLite result code. It is `SQLITE_MISMATCH` for a value that SQLite can't store, such as an
    ///   integer above `Int64.max`.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch storage {
        case .null: sqlite3_bind_null(sqliteStatement, index)
        case .int64(let integer): sqlite3_bind_int64(sqliteStatement, index, integer)
        case .double(let double): sqlite3_bind_double(sqliteStatement, index, double)
        case .string(let string): isStorable ? string.bind(to: sqliteStatement, at: index) : SQLITE_MISMATCH
        case .blob(let data): data.bind(to: sqliteStatement, at: index)
        }
    }
}

extension DatabaseValue: StatementColumnConvertible {
    /// Returns the value of a column. It is never nil: NULL is ``null``.
    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> DatabaseValue? {
        DatabaseValue(sqliteStatement: sqliteStatement, index: index)
    }
}

// MARK: - Text

extension DatabaseValue: CustomStringConvertible {
    /// The value as a string: `NULL`, `1`, `1.5`, `"text"`, `Data(3 bytes)`.
    public var description: String {
        switch storage {
        case .string(let text) where !isStorable: text
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let double): String(double)
        case .string(let string): string.debugDescription
        case .blob(let data): "Data(\(data.count) bytes)"
        }
    }
}

extension DatabaseValue {
    /// Checks a value that is passed to SQLite without being bound, such as a literal in a CREATE TABLE statement.
    ///
    /// - Throws: `SQLITE_MISMATCH` if SQLite can't store the value.
    package func checkStorable() throws {
        if !isStorable { throw unstorableError }
    }

    /// Whether the value is a number that isn't one, which SQLite stores as NULL.
    var isNaN: Bool {
        if case .double(let double) = storage { double.isNaN } else { false }
    }

    /// The error thrown if SQLite can't store the value.
    package var unstorableError: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a value cannot be stored: \(self)")
    }
}
extension DatabaseValue: SQLSpecificExpressible {}

extension DatabaseValue: SQLNode {
    package var isAtom: Bool { true }

    package var nestedNodes: [any SQLNode] { [] }

    package func write(to writer: inout SQLWriter) throws {
        // The check precedes the execution, because a literal in DDL isn't bound.
        try checkStorable()
        writer.append(self)
    }
}
