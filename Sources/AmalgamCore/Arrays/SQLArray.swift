import CAmalgam

/// An array as a single argument of a statement. `IN` takes any number of values this way, and the statement is
/// compiled once.
///
/// ```swift
/// let ids = SQLArray([1, 2, 3])
/// let rows = try Row.fetchAll(db, sql: "SELECT * FROM player WHERE id IN carray(?)", arguments: [ids])
///
/// let names = ["Anna", "Bo"]
/// let request: SQL = "SELECT * FROM player WHERE name IN \(array: names)"
/// // SELECT * FROM player WHERE name IN carray(?)
/// ```
///
/// An array is also a table with the column `value`:
///
/// ```swift
/// let sql = "SELECT value FROM carray(?) WHERE value NOT IN (SELECT id FROM player)"
/// let unknown = try Int64.fetchAll(db, sql: sql, arguments: [SQLArray(ids)])
/// ```
///
/// In `code IN carray(?)`, SQLite doesn't convert numbers to strings for a TEXT column, in contrast to `code IN (1, 2)`.
/// Write `code IN (SELECT +value FROM carray(?))` to convert them.
///
/// All elements must be stored as INTEGER values, or all as REAL values, TEXT values or blobs. Numbers, dates, UUIDs
/// and raw values can be elements. Binding an array throws `SQLITE_MISUSE` if its elements have several storage
/// classes, or include NULL or a TEXT value with a NUL character. An empty array is valid: `IN` is then false, and
/// `NOT IN` true.
///
/// Creating an array copies its elements once. Binding the array copies nothing: SQLite reads the same memory while the
/// array is bound. Where a single value is required, an array is a JSON string. See <https://sqlite.org/carray.html>.
public struct SQLArray: Sendable {
    let storage: ArrayStorage

    /// The reason why the array can't be bound, or nil if it can.
    package var defect: String? { storage.defect }

    /// The elements in the form that SQLite reads.
    package var values: [DatabaseValue] { storage.values }

    /// The first element. All elements have its storage class.
    package var firstValue: DatabaseValue? { storage.values(upTo: 1).first }

    /// The number of elements.
    public var count: Int { storage.count }

    /// Creates an array of the database values of the elements of a sequence.
    ///
    /// ```swift
    /// let ids = SQLArray(1...3)
    /// let rows = try Row.fetchAll(db, sql: "SELECT * FROM player WHERE id IN carray(?)", arguments: [ids])
    /// ```
    public init<S: Sequence>(_ values: S) where S.Element: DatabaseValueConvertible {
        if let integers = values as? [Int64] {
            storage = ArrayStorage(integers: integers)
        } else if let integers = values as? [Int] {
            storage = ArrayStorage(integers: integers)
        } else {
            storage = ArrayStorage(values.map(\.databaseValue))
        }
    }
}

extension SQLArray: Hashable {
    public static func == (lhs: SQLArray, rhs: SQLArray) -> Bool {
        lhs.storage === rhs.storage || lhs.storage.values == rhs.storage.values
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(storage.values) }
}

extension SQLArray: ExpressibleByArrayLiteral {
    /// Creates an array of values. An array with nil, or with values of several storage classes, can't be bound.
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        storage = ArrayStorage(elements.map { $0?.databaseValue ?? .null })
    }
}

extension SQLArray: CustomStringConvertible {
    /// The elements, such as `[1, 2, 3]`. A long array shows its first hundred elements only.
    public var description: String {
        let shown = storage.values(upTo: 100).map(\.description).joined(separator: ", ")
        return count > 100 ? "[\(shown), … \(count) values]" : "[\(shown)]"
    }
}

extension SQLArray: DatabaseValueConvertible {
    /// The array as a JSON string, with blobs in hexadecimal, for SQL that requires a single value.
    public var databaseValue: DatabaseValue {
        ("[" + storage.values.map(\.jsonText).joined(separator: ",") + "]").databaseValue
    }

    /// Returns nil, because arrays can't be decoded.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> SQLArray? { nil }

    /// Binds the array to a parameter, as in `carray(?)`.
    ///
    /// - Returns: SQLite's result code: `SQLITE_MISUSE` if the elements can't be bound, `SQLITE_TOOBIG` for more than
    ///   2³¹ - 1 elements.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        storage.bind(to: sqliteStatement, at: index)
    }

    /// The table `carray(?)`, for `IN` and `FROM`.
    public var sqlExpression: SQLExpression { SQLExpression(node: self) }
}

extension DatabaseValue {
    fileprivate var jsonText: String {
        switch storage {
        case .null: "null"
        case .int64(let integer): String(integer)
        case .double(let double): double.isFinite ? String(double) : "null"
        case .string(let string): string.jsonText
        case .blob(let data): data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().jsonText
        }
    }
}

extension String {
    fileprivate var jsonText: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
