import CAmalgam

/// An array as one argument: `IN` takes any number of values in one statement, which is compiled once.
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
/// An array is a table as well, of one column `value`:
///
/// ```swift
/// let sql = "SELECT value FROM carray(?) WHERE value NOT IN (SELECT id FROM player)"
/// let unknown = try Int.fetchAll(db, sql: sql, arguments: [ids])
/// ```
///
/// The elements are all integers, all reals, all texts or all blobs: numbers, dates, UUIDs, raw values, whatever the
/// type stores. Elements of several kinds, NULL, and texts with a NUL character have no place in an array: such an
/// array throws `SQLITE_MISUSE` when it is bound. An empty array is fine: `IN` is false then, and `NOT IN` true.
///
/// Making an array copies its elements once. Binding it copies nothing: the memory is shared with SQLite as long as
/// it is bound. Where a single value is needed, an array is its JSON text. See <https://sqlite.org/carray.html>.
public struct SQLArray: Sendable {
    let storage: ArrayStorage

    /// Why the array cannot be bound; nil when it can.
    package var defect: String? { storage.defect }

    /// The elements, as SQLite reads them.
    package var values: [DatabaseValue] { storage.values }

    /// The number of elements.
    public var count: Int { storage.count }

    /// An array of the stored values of a sequence.
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
    /// An array of values; nil, and values of several kinds, make an array that cannot be bound.
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        storage = ArrayStorage(elements.map { $0?.databaseValue ?? .null })
    }
}

extension SQLArray: CustomStringConvertible {
    /// `[1, 2, 3]`; only the first hundred elements of a long array.
    public var description: String {
        let shown = storage.values(upTo: 100).map(\.description).joined(separator: ", ")
        return count > 100 ? "[\(shown), … \(count) values]" : "[\(shown)]"
    }
}

extension SQLArray: DatabaseValueConvertible {
    /// The JSON text of the array, with blobs in hexadecimal: what stands for the array where a value is needed.
    public var databaseValue: DatabaseValue {
        ("[" + storage.values.map(\.jsonText).joined(separator: ",") + "]").databaseValue
    }

    /// nil: arrays are not read back.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> SQLArray? { nil }

    /// Binds the array for `carray(?)`.
    ///
    /// - Returns: `SQLITE_MISUSE` when the elements cannot be bound; `SQLITE_TOOBIG` for more than 2³¹ - 1 of them.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        storage.bind(to: sqliteStatement, at: index)
    }

    /// `carray(?)`: a table, for `IN` and `FROM`.
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
