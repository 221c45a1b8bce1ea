public import AmalgamCore

/// Values as the `list` mode of SQLite's shell writes them, blobs as UTF-8:
/// <https://www.sqlite.org/cli.html#changing_output_formats>.
///
/// ```swift
/// try db.dumpSQL("SELECT 1 AS id, 'Anna' AS name, NULL AS note", format: .list(header: true))
/// // id|name|note
/// // 1|Anna|
/// ```
public struct ListDumpFormat: Sendable {
    /// Whether the names of the columns are written before the first row.
    public var header: Bool

    /// What is between two values.
    public var separator: String

    /// What is written for NULL.
    public var nullValue: String

    private var line = DumpedLine()

    /// A format.
    ///
    /// - Parameters:
    ///   - header: whether the names of the columns are written before the first row.
    ///   - separator: what is between two values.
    ///   - nullValue: what is written for NULL.
    public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
        self.header = header
        self.separator = separator
        self.nullValue = nullValue
    }
}

extension ListDumpFormat: DumpFormat {
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        let nullValue = nullValue
        line.write(statement, header: header ? { $0 } : nil, separator: separator, to: &stream) {
            $0.dumpedText(nullValue: nullValue, blob: \.utf8Text)
        }
    }

    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        line.reset()
    }
}

extension DumpFormat where Self == ListDumpFormat {
    /// Values as the `list` mode of SQLite's shell writes them, blobs as UTF-8.
    public static func list(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}
