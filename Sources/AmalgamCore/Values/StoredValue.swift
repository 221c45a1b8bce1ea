import CAmalgam
public import Foundation

/// A value of a record, or a positional argument, that is passed to a statement.
///
/// The cases are SQLite's storage classes, dates and UUIDs. Dates and UUIDs are only converted when they are bound: a
/// date is formatted directly into ``ArgumentMemory``, the buffer from which SQLite reads arguments. Only the rare case
/// `other` contains an existential, so that copies and comparisons are cheap.
@usableFromInline
package enum StoredValue: @unchecked Sendable {
    // Sendable: the existential contains values of Sendable types only.
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
    case date(Date)
    case uuid(UUID)

    /// A value that SQLite can't store, or a `ZeroBlob`, whose zeros aren't allocated.
    indirect case other(any DatabaseValueConvertible)

    @inlinable
    package init(_ integer: some FixedWidthInteger & DatabaseValueConvertible) {
        if let integer = Int64(exactly: integer) { self = .integer(integer) } else { self = .other(integer) }
    }

    package init(_ value: DatabaseValue) {
        guard value.isStorable else {
            self = .other(value)
            return
        }
        switch value.storage {
        case .null: self = .null
        case .int64(let integer): self = .integer(integer)
        case .double(let double): self = .real(double)
        case .string(let string): self = .text(string)
        case .blob(let data): self = .blob(data)
        }
    }

    /// Creates a value of one of the most frequent types of arguments; nil for other types.
    ///
    /// The caller passes an `any DatabaseValueConvertible`, and `Value` is the type that this existential contains.
    /// Comparing `Value.self` with known types is cheaper than casting the existential with `as?`.
    private init?<Value: DatabaseValueConvertible>(usual value: Value) {
        if Value.self == Int.self {
            self = .integer(Int64(sameTypeCast(value, to: Int.self)))
        } else if Value.self == String.self {
            self = .text(sameTypeCast(value, to: String.self))
        } else if Value.self == Double.self {
            self = .real(sameTypeCast(value, to: Double.self))
        } else if Value.self == Date.self {
            self = .date(sameTypeCast(value, to: Date.self))
        } else if Value.self == Data.self {
            self = .blob(sameTypeCast(value, to: Data.self))
        } else if Value.self == UUID.self {
            self = .uuid(sameTypeCast(value, to: UUID.self))
        } else if Value.self == Int64.self {
            self = .integer(sameTypeCast(value, to: Int64.self))
        } else if Value.self == Bool.self {
            self = .integer(sameTypeCast(value, to: Bool.self) ? 1 : 0)
        } else if Value.self == DatabaseValue.self {
            self.init(sameTypeCast(value, to: DatabaseValue.self))
        } else {
            return nil
        }
    }

    /// Creates the stored value of a value of any convertible type. nil becomes NULL.
    package init(_ value: (any DatabaseValueConvertible)?) {
        guard let value else {
            self = .null
            return
        }
        if let usual = StoredValue(usual: value) {
            self = usual
        } else if let zeroes = value as? ZeroBlob {
            self = .other(zeroes)
        } else {
            self.init(value.databaseValue)
        }
    }

    package var isNull: Bool { if case .null = self { true } else { false } }

    /// The Swift value; nil for NULL.
    package var value: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .integer(let integer): integer
        case .real(let real): real
        case .text(let text): text
        case .blob(let data): data
        case .date(let date): date
        case .uuid(let uuid): uuid
        case .other(let value): value
        }
    }

    package var databaseValue: DatabaseValue { value?.databaseValue ?? .null }

    /// Returns whether both values have the same stored form.
    package func isStored(as other: StoredValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let lhs), .integer(let rhs)): lhs == rhs
        case (.text(let lhs), .text(let rhs)): lhs.utf8.elementsEqual(rhs.utf8)
        // Different dates within one millisecond have the same stored form: the default case compares it.
        case (.date(let lhs), .date(let rhs)) where lhs == rhs: true
        default: databaseValue == other.databaseValue
        }
    }
}

extension [StoredValue] {
    /// Binds the values to the parameters of a statement, starting with the first parameter.
    func bind(with binder: inout ArgumentBinder) -> CInt {
        for index in indices {
            let code = binder.bind(self[index], at: CInt(truncatingIfNeeded: index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }
}

extension ArgumentBinder {
    @inline(__always)
    mutating func bind(_ value: StoredValue, at index: CInt) -> CInt {
        switch value {
        case .null: sqlite3_bind_null(sqliteStatement, index)
        case .integer(let integer): sqlite3_bind_int64(sqliteStatement, index, integer)
        case .real(let real): sqlite3_bind_double(sqliteStatement, index, real)
        case .text(let text): bind(text, at: index)
        case .blob(let data): bind(data, at: index)
        case .date(let date): bind(date, at: index)
        case .uuid(let uuid): bind(uuid, at: index)
        case .other(let value): bindOther(value, at: index)
        }
    }
}
