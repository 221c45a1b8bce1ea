public import CAmalgam
public import Foundation

/// A value as SQLite stores it: one of the five storage classes of <https://sqlite.org/datatype3.html>.
///
/// ```swift
/// let row = try Row.fetchOne(db, sql: "SELECT 1, 'a', NULL")!
/// let values = Array(row.databaseValues)   // [1, "a", NULL]
/// ```
public struct DatabaseValue: Sendable {
    /// The storage class, and the value in it.
    public let storage: Storage

    /// Whether SQLite can hold the value. It cannot for an integer above `Int64.max`, or for a `Codable` value that
    /// JSON does not express. Turning such a value into a `DatabaseValue` cannot fail; storing it does, with an error.
    @usableFromInline
    package let isStorable: Bool

    /// NULL.
    public static let null = DatabaseValue(storage: .null)

    /// The five storage classes of SQLite.
    @frozen
    public enum Storage: Sendable {
        /// NULL.
        case null
        /// An INTEGER.
        case int64(Int64)
        /// A REAL.
        case double(Double)
        /// A TEXT.
        case string(String)
        /// A BLOB.
        case blob(Data)

        /// The stored value as `Int64`, `Double`, `String` or `Data`, and nil for NULL.
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
    package init(storage: Storage) {
        self.storage = storage
        isStorable = true
    }

    /// A value that SQLite has no place for. Binding it fails.
    ///
    /// - Parameter text: the value as text, for descriptions and errors.
    @usableFromInline
    package init(unstorable text: String) {
        storage = .string(text)
        isStorable = false
    }

    /// The database value of any Swift value, or nil when the value has no database representation.
    ///
    /// It serves input whose types are only known at run time: `DatabaseValue(value: dictionary["age"])`.
    public init?(value: Any) {
        guard let convertible = value as? any DatabaseValueConvertible else { return nil }
        self = convertible.databaseValue
    }

    /// The value of a column of the current row. Bytes of a text that are not UTF-8 are replaced with U+FFFD:
    /// ``Row/withUnsafeData(atIndex:_:)`` gives them as they are.
    ///
    /// - Parameter index: the column, counted from 0, which exists.
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        let storage: Storage =
            switch sqlite3_column_type(sqliteStatement, index) {
            case SQLITE_INTEGER: .int64(sqlite3_column_int64(sqliteStatement, index))
            case SQLITE_FLOAT: .double(sqlite3_column_double(sqliteStatement, index))
            case SQLITE_TEXT: .string(String(sqliteStatement: sqliteStatement, index: index))
            case SQLITE_BLOB: .blob(Data(sqliteStatement: sqliteStatement, index: index))
            default: .null
            }
        self.init(storage: storage)
    }

    /// The value of a function argument, or of a pre-update event.
    package init(sqliteValue: OpaquePointer?) {
        self.init(storage: Storage(sqliteValue))
    }

    /// A value that SQLite hands out, read in its place.
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

    /// A copy of a value whose text SQLite must allocate memory for, to end it with a NUL. When it can't, the value is NULL
    /// from then on, also for SQLite.
    ///
    /// - throws: `SQLITE_NOMEM`
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
            // Without memory to convert it there are no bytes, whatever their number.
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
    /// Values are equal when their storage classes and contents are: 1 and 1.0 differ.
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
    /// Values are equal when they have the same content. Numbers are compared as SQLite does: 1 equals 1.0.
    ///
    /// A column of reals gives 1.0 for the 1 that was written to it: rows and records that hold either are equal.
    ///
    /// ```swift
    /// 1.databaseValue == 1.0.databaseValue                  // true
    /// 1.databaseValue.storage == 1.0.databaseValue.storage  // false
    /// 1.databaseValue == "1".databaseValue                  // false
    /// ```
    ///
    /// No precision is lost: an integer equals the real that is exactly this integer, and no other one.
    /// See [Comparison expressions](https://www.sqlite.org/datatype3.html#comparison_expressions).
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

    /// A bound argument, or `NULL`.
    public var sqlExpression: SQLExpression { SQLExpression(node: self) }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

    /// Binds the value.
    ///
    /// - Returns: `SQLITE_MISMATCH` for a value that SQLite has no place for, such as an integer above `Int64.max`.
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
    /// NULL is a value here.
    @inlinable
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> DatabaseValue? {
        DatabaseValue(sqliteStatement: sqliteStatement, index: index)
    }
}

// MARK: - Text

extension DatabaseValue: CustomStringConvertible {
    /// `NULL`, `1`, `1.5`, `"text"`, `Data(3 bytes)`.
    public var description: String {
        switch storage {
        case .string(let text) where !isStorable: text
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let double): String(double)
        case .string(let string): "\"\(string)\""
        case .blob(let data): "Data(\(data.count) bytes)"
        }
    }
}

extension DatabaseValue {
    /// For values that are given to SQLite in other ways than by binding them.
    ///
    /// - throws: `SQLITE_MISMATCH` for a value that SQLite has no place for.
    package func checkStorable() throws {
        if !isStorable { throw unstorableError }
    }

    /// Why a value cannot be stored.
    package var unstorableError: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a value cannot be stored: \(self)")
    }
}
extension DatabaseValue: SQLSpecificExpressible {}

extension DatabaseValue: SQLNode {
    package var isAtom: Bool { true }

    package func write(to writer: inout SQLWriter) throws {
        // Now, and not when the statement runs: a literal in DDL would never be bound.
        try checkStorable()
        writer.append(self)
    }
}
