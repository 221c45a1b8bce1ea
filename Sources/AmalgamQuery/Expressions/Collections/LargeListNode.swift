import AmalgamCore
import AmalgamSandbox
import Foundation

/// A list of more values than a statement can have parameters, bound as one argument: `carray(?)`. Row values, and
/// values that an ``SQLArray`` can't hold, are bound as a JSON array instead.
struct LargeListNode: SQLNode {
    private let rows: [[DatabaseValue]]

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
        self.rows = rows
    }

    func write(to writer: inout SQLWriter) throws {
        if rows[0].count == 1 {
            let array = SQLArray(rows.map { $0[0] })
            if array.defect == nil { return try array.write(to: &writer) }
        }
        let json = JSONRows(rows)
        try writer.append(sql: "(SELECT \(json.columns) FROM json_each(?))", arguments: [json.text])
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
