public import AmalgamCore
import Foundation

/// A human-readable format. It may change in any release, so programs must not parse it.
///
/// ```swift
/// try db.dumpSQL("SELECT 1 AS id, 'Anna' AS name, NULL AS note", format: .debug(header: true))
/// // id|name|note
/// // 1|Anna|
/// ```
///
/// A blob that is valid UTF-8 is written as a string. Otherwise, a blob of 16 bytes is written as a UUID, and all other
/// blobs as SQL literals, such as `X'80'`.
public struct DebugDumpFormat: Sendable {
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

extension DebugDumpFormat: DumpFormat {
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        let nullValue = nullValue
        line.write(statement, header: header ? { $0 } : nil, separator: separator, to: &stream) {
            $0.dumpedText(nullValue: nullValue, blob: \.readableBlob)
        }
    }

    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        line.reset()
    }
}

extension DumpFormat where Self == DebugDumpFormat {
    /// A human-readable format: see ``DebugDumpFormat``.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player", format: .debug(header: true))
    /// ```
    public static func debug(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension DatabaseValue {
    /// The blob as a string if it is valid UTF-8, as a UUID if it has 16 bytes, or otherwise as an SQL literal.
    fileprivate var readableBlob: String {
        if case .blob(let data) = storage, let text = String(validating: data, as: UTF8.self) { return text }
        return UUID.fromDatabaseValue(self)?.uuidString ?? quotedLiteral
    }
}
