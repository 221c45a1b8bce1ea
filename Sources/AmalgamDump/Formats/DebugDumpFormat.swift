public import AmalgamCore
import Foundation

/// Values for people to read. What it looks like may change: do not read it by a program.
///
/// ```swift
/// try db.dumpSQL("SELECT 1 AS id, 'Anna' AS name, NULL AS note", format: .debug(header: true))
/// // id|name|note
/// // 1|Anna|
/// ```
///
/// A blob of UTF-8 is written as text, another one of 16 bytes as a UUID, and others as an SQL literal: `X'80'`.
public struct DebugDumpFormat: Sendable {
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
    /// Values for people to read.
    public static func debug(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension DatabaseValue {
    /// A blob as text, as a UUID, or as an SQL literal.
    fileprivate var readableBlob: String {
        if case .blob(let data) = storage, let text = String(validating: data, as: UTF8.self) { return text }
        return UUID.fromDatabaseValue(self)?.uuidString ?? quotedLiteral
    }
}
