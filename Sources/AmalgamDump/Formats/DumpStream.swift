import Foundation

/// The output of a dump: the standard output, or any text stream.
///
/// ```swift
/// struct FirstColumnFormat: DumpFormat {
///     func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
///         let value = DatabaseValue(sqliteStatement: statement.sqliteStatement, index: 0)
///         stream.write("\(value)\n")
///     }
///
///     func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
///         stream.margin()
///         stream.write("end of the rows\n")        // after an empty line
///     }
/// }
/// ```
public struct DumpStream {
    private var base: any TextOutputStream
    private var needsMargin = false

    /// - Parameter stream: the output. If nil, it is the standard output.
    init(_ stream: (any TextOutputStream)?) {
        base = stream ?? StandardOutput()
    }

    /// Requests an empty line before the next output. If no output follows, no line is written.
    public mutating func margin() { needsMargin = true }
}

extension DumpStream: TextOutputStream {
    public mutating func write(_ string: String) {
        if string.isEmpty { return }
        if needsMargin {
            needsMargin = false
            base.write("\n")
        }
        base.write(string)
    }
}

private struct StandardOutput: TextOutputStream {
    func write(_ string: String) { print(string, terminator: "") }
}
