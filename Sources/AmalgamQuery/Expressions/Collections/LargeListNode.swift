import AmalgamCore
import AmalgamSandbox
import Foundation

/// The right side of an IN operator whose values are bound as one argument: an ``SQLArray``, or a list of more values than
/// a statement can have parameters. Row values, and values that an array can't hold, are bound as a JSON array.
///
/// In `x IN (?, ?)`, SQLite converts the values to the affinity of `x`. In `x IN carray(?)`, both sides are columns, and
/// SQLite converts numbers to TEXT on neither side. Numbers are therefore written `(SELECT +value FROM carray(?))`: an
/// expression has no affinity, and SQLite converts it to the affinity of `x`. The JSON array is decoded by expressions.
struct LargeListNode: SQLNode {
    private enum Content {
        /// TEXT values or blobs.
        case strings(SQLArray)
        case numbers(SQLArray, [DatabaseValue])
        case rows([[DatabaseValue]])
    }

    private let content: Content

    var nestedNodes: [any SQLNode] { [] }

    /// Creates a list for the elements of an IN operator.
    ///
    /// Returns nil in these cases, in which the caller writes each element separately, as in `"id" IN (?, ?)`:
    /// - The statement has enough free parameters for the elements.
    /// - The statement has no parameters, because values are written into the SQL as literals.
    /// - An element is an expression, such as a column, or row values have different lengths.
    init?(_ elements: [any SQLNode], in writer: SQLWriter) {
        guard writer.acceptsArguments, elements.count * (elements.first?.valueCount ?? 0) > writer.freeArgumentCount
        else {
            return nil
        }
        let rows = elements.compactMap(\.values)
        guard rows.count == elements.count, rows.allSatisfy({ $0.count == rows[0].count }) else { return nil }
        self.init(rows)
    }

    /// Creates a list from an array. Returns nil if the statement has no parameters, or if the array can't be bound.
    init?(_ array: SQLArray, in writer: SQLWriter) {
        guard writer.acceptsArguments, array.defect == nil else { return nil }
        self.init(array)
    }

    private init(_ array: SQLArray) {
        content = array.firstValue?.isNumber ?? true ? .numbers(array, array.values) : .strings(array)
    }

    private init(_ rows: [[DatabaseValue]]) {
        let array = rows.allSatisfy { $0.count == 1 } ? SQLArray(rows.map { $0[0] }) : nil
        if let array, array.defect == nil {
            self.init(array)
        } else {
            self.init(content: .rows(rows))
        }
    }

    private init(content: Content) {
        self.content = content
    }

    func write(to writer: inout SQLWriter) throws {
        switch content {
        case .strings(let array): try array.write(to: &writer)
        case .numbers(let array, _):
            writer.append("(SELECT +value FROM ")
            try array.write(to: &writer)
            writer.append(")")
        case .rows(let rows):
            let json = JSONRows(rows)
            try writer.append(sql: "(SELECT \(json.columns) FROM json_each(?))", arguments: [json.text])
        }
    }

    /// The list for a left side that is a REAL value. Nil if such a value is compared with this list.
    ///
    /// In `x IN (?, ?)`, REAL values are compared with integers exactly. In `x IN (SELECT …)`, SQLite rounds integers to
    /// REAL values if `x` has REAL affinity. Then 9223372036854775807 would be equal to 9223372036854775808.0. The
    /// returned list contains no integer that is rounded, because none of them is equal to a REAL value.
    var comparableWithReal: LargeListNode? {
        switch content {
        case .numbers(_, let values) where values.contains(where: \.isRoundedByRealAffinity):
            LargeListNode(SQLArray(values.filter { !$0.isRoundedByRealAffinity }))
        case .rows(let rows) where rows[0].count == 1 && rows.contains(where: { $0[0].isRoundedByRealAffinity }):
            LargeListNode(rows.filter { !$0[0].isRoundedByRealAffinity })
        default: nil
        }
    }
}

extension DatabaseValue {
    fileprivate var isNumber: Bool {
        switch storage {
        case .int64, .double: true
        case .null, .string, .blob: false
        }
    }

    /// Whether the value is an integer, or a string that SQLite converts to an integer, without an equal REAL value.
    fileprivate var isRoundedByRealAffinity: Bool {
        switch storage {
        case .int64(let integer): Int64(exactly: Double(integer)) != integer
        case .string(let string):
            Int64(string.trimmingCharacters(in: .whitespacesAndNewlines)).map { Int64(exactly: Double($0)) != $0 }
                ?? false
        case .null, .double, .blob: false
        }
    }
}

extension SQLWriter {
    /// The number of arguments that a list may add to the statement. One parameter in sixteen is reserved for the SQL
    /// that follows the list.
    fileprivate var freeArgumentCount: Int {
        let limit = db.maximumStatementArgumentCount
        return limit - limit / 16 - arguments.count
    }
}

extension SQLNode {
    /// The number of values in a list element.
    fileprivate var valueCount: Int { (self as? RowValueNode)?.columns.count ?? 1 }

    /// The values in a list element; nil if it contains other expressions.
    fileprivate var values: [DatabaseValue]? {
        if let value = self as? DatabaseValue { return [value] }
        guard let row = self as? RowValueNode else { return nil }
        let values = row.columns.compactMap { $0 as? DatabaseValue }
        return values.count == row.columns.count ? values : nil
    }
}

/// Rows of values as a JSON array of arrays, and the SQL that decodes the values.
///
/// JSON can't represent a BLOB, and SQLite ends a JSON string at a NUL character. Therefore, BLOBs are written as
/// `["00FF"]`, and strings with a NUL character as `{"hex":"6100"}`, in hexadecimal digits.
private struct JSONRows {
    private(set) var text = ""
    private var encodedColumns: Set<Int> = []
    private let columnCount: Int

    init(_ rows: [[DatabaseValue]]) {
        columnCount = rows[0].count
        for (index, row) in rows.enumerated() {
            text += index == 0 ? "[[" : ",["
            for (column, value) in row.enumerated() {
                if column > 0 { text += "," }
                append(value, column)
            }
            text += "]"
        }
        text += "]"
    }

    private mutating func append(_ value: DatabaseValue, _ column: Int) {
        switch value.storage {
        case .null: text += "null"
        case .int64(let integer): text += String(integer)
        case .double(let double): text += double.isInfinite ? (double < 0 ? "-9e999" : "9e999") : String(double)
        case .string(let string) where string.utf8.contains(0):
            encodedColumns.insert(column)
            text += "{\"hex\":\"\(Array(string.utf8).hexadecimalDigits)\"}"
        case .string(let string): text += string.jsonString
        case .blob(let data):
            encodedColumns.insert(column)
            text += "[\"\(Array(data).hexadecimalDigits)\"]"
        }
    }

    /// The columns of a row. `json_each` names the row `value`.
    var columns: String {
        (0..<columnCount).map { column in
            let value = "value ->> '$[\(column)]'"
            if !encodedColumns.contains(column) { return value }
            return """
                CASE json_type(value, '$[\(column)]') \
                WHEN 'array' THEN unhex(value ->> '$[\(column)][0]') \
                WHEN 'object' THEN CAST(unhex(value ->> '$[\(column)].hex') AS TEXT) \
                ELSE \(value) END
                """
        }
        .joined(separator: ", ")
    }
}

extension [UInt8] {
    fileprivate var hexadecimalDigits: String {
        let digits = Array<UInt8>("0123456789ABCDEF".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension String {
    /// The string as a JSON string, with quotes.
    fileprivate var jsonString: String {
        var json = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case _ where scalar.value < 0x20:
                json += "\\u00" + [UInt8(scalar.value)].hexadecimalDigits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
