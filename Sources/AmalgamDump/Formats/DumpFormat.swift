public import AmalgamCore

/// A format of the rows in a dump.
///
/// ```swift
/// struct CountFormat: DumpFormat {
///     private var count = 0
///     mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) { count += 1 }
///     mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
///         stream.write("\(count) rows\n")
///         count = 0
///     }
/// }
/// ```
///
/// | format | a row of `SELECT 1 AS id, 'Anna' AS name, NULL AS note` |
/// | --- | --- |
/// | ``DebugDumpFormat`` | `1|Anna|` |
/// | ``ListDumpFormat`` | `1|Anna|` |
/// | ``QuoteDumpFormat`` | `1,'Anna',NULL` |
/// | ``LineDumpFormat`` | `  id = 1`, `name = Anna`, `note = `: one line per column |
/// | ``JSONDumpFormat`` | `[{"id":1,"name":"Anna","note":null}]` |
public protocol DumpFormat {
    /// Writes the current row of a statement.
    ///
    /// - Throws: an error, which ends the dump.
    mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws

    /// Writes the end of the output of a statement. Called after the last row, and if the statement has no rows.
    mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream)
}

extension Statement {
    /// The columns that a dump writes, with their indexes. Internal columns of the library are omitted.
    var dumpedColumns: [(index: Int, name: String)] {
        columnNames.enumerated()
            .filter { !Database.isGRDBInternalTable($0.element) }
            .map { (index: $0.offset, name: $0.element) }
    }

    /// Returns a value of the current row.
    func dumpedValue(_ index: Int) -> DatabaseValue {
        DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(index))
    }
}

extension DatabaseValue {
    /// Returns the value as a string. `nullValue` stands for NULL, and `blob` converts a blob.
    func dumpedText(nullValue: String, blob: (DatabaseValue) -> String) -> String {
        switch storage {
        case .null: nullValue
        case .int64(let integer): String(integer)
        case .double(let double): String(double)
        case .string(let string): string
        case .blob: blob(self)
        }
    }

    /// The bytes of a blob as a string. Invalid UTF-8 is replaced with U+FFFD.
    var utf8Text: String {
        if case .blob(let data) = storage { String(decoding: data, as: UTF8.self) } else { "" }
    }
}

/// Writes each row on a single line.
struct DumpedLine {
    /// Whether the column names were written.
    private var isHeaderWritten = false

    /// Writes the current row of a statement. Before the first row, writes a header with the column names.
    ///
    /// - Parameters:
    ///   - header: converts a column name to the string in the header. If nil, no header is written.
    ///   - text: converts a value to a string.
    mutating func write(
        _ statement: Statement, header: ((String) -> String)?, separator: String, to stream: inout DumpStream,
        _ text: (DatabaseValue) throws -> String
    ) rethrows {
        let columns = statement.dumpedColumns
        if let header, !isHeaderWritten {
            isHeaderWritten = true
            stream.write(columns.map { header($0.name) }.joined(separator: separator) + "\n")
        }
        let values = try columns.map { try text(statement.dumpedValue($0.index)) }
        stream.write(values.joined(separator: separator) + "\n")
    }

    /// Prepares for the rows of the next statement.
    mutating func reset() { isHeaderWritten = false }
}
