import CAmalgam
import Foundation

/// An SQL string, accessed by byte offsets, as SQLite does.
struct SQLText {
    let pointer: UnsafePointer<CChar>
    let count: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have a nil address.
        let empty: StaticString = ""
        pointer = UnsafeRawPointer(bytes.baseAddress ?? empty.utf8Start).assumingMemoryBound(to: CChar.self)
        count = bytes.count
    }

    /// Returns whether only blanks and semicolons follow an offset.
    func isBlank(from offset: Int) -> Bool {
        (offset..<max(offset, count)).allSatisfy(isBlank(at:))
    }

    private func isBlank(at index: Int) -> Bool {
        let byte = UInt8(bitPattern: pointer[index])
        return byte == 0x20 || byte == UInt8(ascii: ";") || (0x09...0x0D).contains(byte)
    }

    func string(from start: Int, to end: Int? = nil) -> String {
        let start = min(max(0, start), count)
        let bytes = UnsafeRawBufferPointer(start: pointer + start, count: max(0, (end ?? count) - start))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether anything but blanks, semicolons and comments follows an offset, even if it doesn't compile.
    func hasStatement(from offset: Int) -> Bool {
        var offset = offset
        while offset < count {
            if isBlank(at: offset) {
                offset += 1
            } else if has("--", at: offset) {
                offset = end(of: "\n", from: offset)
            } else if has("/*", at: offset) {
                offset = end(of: "*/", from: offset + 2)
            } else {
                return true
            }
        }
        return false
    }

    private func has(_ marker: StaticString, at offset: Int) -> Bool {
        let length = marker.utf8CodeUnitCount
        return offset + length <= count && memcmp(pointer + offset, marker.utf8Start, length) == 0
    }

    /// Returns the index after the next occurrence of a marker, or the end of the string.
    private func end(of marker: StaticString, from offset: Int) -> Int {
        var offset = offset
        while offset < count {
            if has(marker, at: offset) { return offset + marker.utf8CodeUnitCount }
            offset += 1
        }
        return count
    }
}

/// A cursor over the statements of an SQL string.
///
/// `next()` compiles one statement. If the caller runs each statement before it calls `next()` again, a statement may
/// use, for example, a table that a previous statement creates.
///
/// ```swift
/// let statements = try db.allStatements(sql: "SELECT 1; SELECT 2")
/// let values = try Array(statements.flatMap { try Int.fetchCursor($0) })   // [1, 2]
/// ```
public class SQLStatementCursor: Cursor {
    private let database: Database
    private var sql: String
    private var offset = 0
    private var arguments: StatementArguments?
    private let argumentCount: Int
    private var hasEnded = false

    init(_ database: Database, sql: String, arguments: StatementArguments?) {
        self.database = database
        self.sql = sql
        self.arguments = arguments
        argumentCount = arguments?.count ?? 0
    }

    /// Returns the next statement, with its arguments set, or nil at the end.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "DELETE FROM player; DELETE FROM team")
    /// while let statement = try statements.next() { try statement.execute() }
    /// ```
    ///
    /// - Throws: any error of the compilation; `SQLITE_MISUSE` if there are too few or too many arguments.
    public func next() throws -> Statement? {
        if hasEnded { return nil }
        do {
            let statement = try sql.withUTF8 { bytes in
                let text = SQLText(bytes)
                // After the last statement, nothing runs that a limit could stop. A snapshot that it has lost is an error.
                let keepsSnapshot = database.isInsideTransaction || !database.holdsSnapshot
                if offset > 0, keepsSnapshot, !text.hasStatement(from: offset) { return nil as Statement? }
                let prepared = try database.prepare(text, from: offset, flags: 0)
                offset = prepared?.end ?? bytes.count
                return prepared?.statement
            }
            guard let statement else { return try end() }
            try takeArguments(for: statement)
            return statement
        } catch {
            hasEnded = true
            throw error
        }
    }

    /// Whether no statement follows.
    var isAtEnd: Bool {
        sql.withUTF8 { SQLText($0).isBlank(from: offset) }
    }

    private func end() throws -> Statement? {
        hasEnded = true
        if let arguments, !arguments.values.isEmpty {
            throw StatementArguments.wrongCount(argumentCount, of: nil, sql: nil)
        }
        return nil
    }

    private func takeArguments(for statement: Statement) throws {
        guard var remaining = arguments, statement.parameterCount > 0 else { return }
        let share = try remaining.extract(for: statement.parameterNames, sql: statement.sql)
        arguments = remaining
        try statement.setArguments(share)
    }
}
