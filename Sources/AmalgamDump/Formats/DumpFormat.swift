public import AmalgamCore

/// How rows are written in a dump.
///
/// | format | a row of `SELECT 1 AS id, 'Anna' AS name, NULL AS note` |
/// | --- | --- |
/// | ``DebugDumpFormat`` | `1|Anna|` |
/// | ``ListDumpFormat`` | `1|Anna|` |
/// | ``QuoteDumpFormat`` | `1,'Anna',NULL` |
/// | ``LineDumpFormat`` | `  id = 1`, `name = Anna`, `note = `: a line for each column |
/// | ``JSONDumpFormat`` | `[{"id":1,"name":"Anna","note":null}]` |
public protocol DumpFormat {
    /// Writes the current row of a statement.
    mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws

    /// Writes what there is to write after the last row, or when there was none.
    mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream)
}

extension Statement {
    /// The columns that a dump shows, by their positions: not those that the library adds for itself.
    var dumpedColumns: [(index: Int, name: String)] {
        columnNames.enumerated()
            .filter { !Database.isGRDBInternalTable($0.element) }
            .map { (index: $0.offset, name: $0.element) }
    }

    /// A value of the current row.
    func dumpedValue(_ index: Int) -> DatabaseValue {
        DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(index))
    }
}

extension DatabaseValue {
    /// The value as plain text, NULL as something else.
    func dumpedText(nullValue: String, blob: (DatabaseValue) -> String) -> String {
        switch storage {
        case .null: nullValue
        case .int64(let integer): String(integer)
        case .double(let double): String(double)
        case .string(let string): string
        case .blob: blob(self)
        }
    }

    /// The bytes of a blob as text. Those that are not UTF-8 are replaced with U+FFFD.
    var utf8Text: String {
        if case .blob(let data) = storage { String(decoding: data, as: UTF8.self) } else { "" }
    }
}

/// Values of a row, on one line.
struct DumpedLine {
    /// Whether the names of the columns were written.
    private var isHeaderWritten = false

    /// Writes the current row of a statement, and before the first row a header.
    ///
    /// - Parameter header: makes the text of a column name; nil for no header.
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

    /// The next rows are those of another statement.
    mutating func reset() { isHeaderWritten = false }
}
