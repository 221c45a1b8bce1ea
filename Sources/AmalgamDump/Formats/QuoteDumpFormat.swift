public import AmalgamCore

/// A format that writes values as SQL literals: <https://sqlite.org/lang_corefunc.html#quote>.
///
/// ```swift
/// try db.dumpSQL("SELECT 1, 'O''Neil', NULL, x'41'", format: .quote())
/// // 1,'O''Neil',NULL,X'41'
/// ```
///
/// The column names in the header are SQL string literals: `'id','name'`.
public struct QuoteDumpFormat: Sendable {
    /// Whether the column names are written before the first row.
    public var header: Bool

    /// The separator of values.
    public var separator: String

    private var line = DumpedLine()

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - header: whether the column names are written before the first row.
    ///   - separator: the separator of values.
    public init(header: Bool = false, separator: String = ",") {
        self.header = header
        self.separator = separator
    }
}

extension QuoteDumpFormat: DumpFormat {
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        let header = header ? { (name: String) in name.databaseValue.quotedLiteral } : nil
        line.write(statement, header: header, separator: separator, to: &stream, \.quotedLiteral)
    }

    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        line.reset()
    }
}

extension DumpFormat where Self == QuoteDumpFormat {
    /// Values as SQL literals: see ``QuoteDumpFormat``.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player", format: .quote())
    /// ```
    public static func quote(header: Bool = false, separator: String = ",") -> Self {
        QuoteDumpFormat(header: header, separator: separator)
    }
}

extension DatabaseValue {
    /// The literal that SQLite's function `quote` returns, with uppercase hexadecimal digits.
    var quotedLiteral: String {
        if case .blob(let data) = storage { "X'" + data.map(\.hexadecimal).joined() + "'" } else { sqlLiteral }
    }
}

extension UInt8 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return self < 16 ? "0" + digits : digits
    }
}
