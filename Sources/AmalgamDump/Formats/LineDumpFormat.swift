public import AmalgamCore

/// A format that writes one line per value, with the name of the column, like the `line` mode of SQLite's shell.
///
/// ```swift
/// try db.dumpSQL("SELECT 1 AS id, 'Anna' AS name", format: .line())
/// //   id = 1
/// // name = Anna
/// ```
///
/// Rows are separated by empty lines, those of several statements as well. Blobs are written as UTF-8 strings.
public struct LineDumpFormat: Sendable {
    /// The string written for NULL.
    public var nullValue: String

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// - Parameter nullValue: the string written for NULL.
    public init(nullValue: String = "") {
        self.nullValue = nullValue
    }
}

extension LineDumpFormat: DumpFormat {
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if !isFirstRow { stream.write("\n") }
        isFirstRow = false
        let columns = statement.dumpedColumns
        let width = columns.map(\.name.count).max() ?? 0
        for (index, name) in columns {
            let margin = String(repeating: " ", count: width - name.count)
            let text = statement.dumpedValue(index).dumpedText(nullValue: nullValue, blob: \.utf8Text)
            stream.write("\(margin)\(name) = \(text)\n")
        }
    }

    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if !isFirstRow { stream.margin() }
        isFirstRow = true
    }
}

extension DumpFormat where Self == LineDumpFormat {
    /// One line per value: see ``LineDumpFormat``.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player", format: .line(nullValue: "NULL"))
    /// ```
    public static func line(nullValue: String = "") -> Self { LineDumpFormat(nullValue: nullValue) }
}
