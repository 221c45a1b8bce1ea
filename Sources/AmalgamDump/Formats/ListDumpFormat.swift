public import AmalgamCore

/// A format that writes one line per row, like the `list` mode of SQLite's shell:
/// <https://www.sqlite.org/cli.html#changing_output_formats>. Blobs are written as UTF-8 strings.
///
/// ```swift
/// try db.dumpSQL("SELECT 1 AS id, 'Anna' AS name, NULL AS note", format: .list(header: true))
/// // id|name|note
/// // 1|Anna|
/// ```
public struct ListDumpFormat: Sendable {
    /// Whether the column names are written before the first row.
    public var header: Bool

    /// The separator of values.
    public var separator: String

    /// The string written for NULL.
    public var nullValue: String

    private var line = DumpedLine()

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - header: whether the column names are written before the first row.
    ///   - separator: the separator of values.
    ///   - nullValue: the string written for NULL.
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
    /// One line per row: see ``ListDumpFormat``.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player", format: .list(separator: ";"))
    /// ```
    public static func list(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}
