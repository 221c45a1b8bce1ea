/// Collects the SQL that nodes write, and the arguments of the parameters in this SQL, in the order of the parameters.
///
/// A writer of DDL statements, which accept no parameters, writes values as SQL literals.
package struct SQLWriter {
    /// The connection. Nodes may look up the schema when they are written, but not before.
    package let db: Database

    /// The SQL written so far.
    package private(set) var sql = ""

    /// The arguments of the parameters written so far.
    package private(set) var arguments = StatementArguments()

    /// The scopes: the sources of FROM clauses whose columns can be written now.
    var scopes = SQLScopes()

    /// The tables of outer statements to which nested statements have referred by an alias.
    var outerReferences: Set<OuterReference> = []

    private let writesLiterals: Bool

    /// How often subqueries have been written again.
    private var repetitions = 0

    /// Tells when nested nodes that are being written have taken too much stack.
    private var stack = StackUse()

    /// Whether values are written as parameters.
    package var acceptsArguments: Bool { !writesLiterals }

    package init(_ db: Database, writesLiterals: Bool = false) {
        self.db = db
        self.writesLiterals = writesLiterals
    }

    /// Called when a node writes nodes that it contains.
    ///
    /// - Throws: The error of SQLite for an expression that is too deep, before the stack of a small thread is exhausted.
    package mutating func checkDepth() throws {
        if stack.isLarge { throw TooDeepNode.error }
    }

    /// Called before a subquery that a copy of this writer has written is written again.
    ///
    /// - Throws: The error of SQLite for an expression that is too deep, if subqueries have been written again too often:
    ///   each level of nested subqueries can double the number.
    package mutating func countRepetition(after attempt: SQLWriter) throws {
        repetitions = attempt.repetitions + 1
        if repetitions > 10_000 { throw TooDeepNode.error }
    }

    package mutating func append(_ text: String) {
        sql += text
    }

    /// Inserts text before the SQL that was written after an offset. The text contains no parameter.
    ///
    /// - Parameter offset: the length of the SQL before this SQL, in bytes of UTF-8.
    package mutating func insert(_ text: String, at offset: Int) {
        sql.insert(contentsOf: text, at: sql.utf8.index(sql.startIndex, offsetBy: offset))
    }

    /// Returns the SQL that was written after an offset.
    ///
    /// - Parameter offset: the length of the SQL before this SQL, in bytes of UTF-8.
    package func text(from offset: Int) -> Substring {
        sql[sql.utf8.index(sql.startIndex, offsetBy: offset)...]
    }

    /// Removes the semicolons and comments at the end of the SQL that was written after an offset.
    ///
    /// The SQL can then be enclosed in parentheses. SQL without trailing semicolons and comments is unchanged.
    ///
    /// - Parameter offset: the length of the SQL before the statement was written, in bytes of UTF-8.
    package mutating func trimStatement(from offset: Int) {
        if let end = text(from: offset).endBeforeCommentsAndSemicolons { sql.removeSubrange(end...) }
    }

    /// Writes a parameter and stores its value, or writes the value as a literal. NULL is always written as `NULL`.
    package mutating func append(_ value: DatabaseValue) {
        if value.isNull {
            sql += "NULL"
        } else if writesLiterals {
            sql += value.sqlLiteral
        } else {
            sql += "?"
            arguments.append(value)
        }
    }

    /// Writes SQL with its arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if there are arguments, and the statement accepts no parameters.
    package mutating func append(sql text: String, arguments newArguments: StatementArguments) throws {
        if writesLiterals && !newArguments.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "this statement accepts no argument: write the values in the SQL, or interpolate them",
                sql: text)
        }
        sql += text
        arguments += newArguments
    }
}

extension DatabaseValue {
    /// The value as an SQL literal: `NULL`, `1`, `1.5`, `'O''Brien'`, `X'00FF'`.
    package var sqlLiteral: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let double): Self.literal(double)
        case .string(let string): Self.literal(string)
        case .blob(let data): "X'" + data.map { Self.hexadecimal($0) }.joined() + "'"
        }
    }

    /// Infinity is written as a literal that overflows, because SQL has no literal for it. SQLite stores NaN as NULL.
    private static func literal(_ double: Double) -> String {
        if double.isNaN { return "NULL" }
        if double.isInfinite { return double < 0 ? "-9e999" : "9e999" }
        return String(double)
    }

    /// SQLite ends a statement at a NUL character, so a string that contains one is written as its bytes.
    private static func literal(_ string: String) -> String {
        if string.utf8.contains(0) {
            return "CAST(X'" + string.utf8.map { hexadecimal($0) }.joined() + "' AS TEXT)"
        }
        return string.quoted(with: "'")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + digits : digits
    }
}

extension String {
    /// The string as a quoted SQL identifier, with embedded quotes doubled.
    ///
    /// ```swift
    /// "player".quotedDatabaseIdentifier   // "player", with quotes
    /// ```
    public var quotedDatabaseIdentifier: String { quoted(with: "\"") }

    /// Returns the string in quotes, with embedded quotes doubled.
    ///
    /// A quote followed by a combining accent is one `Character`, but SQLite ends the string at this quote. Therefore,
    /// the method compares Unicode scalars.
    package func quoted(with quote: Unicode.Scalar) -> String {
        let mark = String(quote)
        if !unicodeScalars.contains(quote) { return mark + self + mark }
        let parts = unicodeScalars.split(separator: quote, omittingEmptySubsequences: false).map { String($0) }
        return mark + parts.joined(separator: mark + mark) + mark
    }
}
