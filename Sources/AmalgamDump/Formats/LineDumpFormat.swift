public import AmalgamCore

/// A line for each value, with the name of its column: the `line` mode of SQLite's shell.
///
/// ```swift
/// try db.dumpSQL("SELECT 1 AS id, 'Anna' AS name", format: .line())
/// //   id = 1
/// // name = Anna
/// ```
///
/// Rows are separated by an empty line. Blobs are written as UTF-8.
public struct LineDumpFormat: Sendable {
    /// What is written for NULL.
    public var nullValue: String

    private var isFirstRow = true

    /// A format.
    ///
    /// - Parameter nullValue: what is written for NULL.
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
        isFirstRow = true
    }
}

extension DumpFormat where Self == LineDumpFormat {
    /// A line for each value, with the name of its column.
    public static func line(nullValue: String = "") -> Self { LineDumpFormat(nullValue: nullValue) }
}
