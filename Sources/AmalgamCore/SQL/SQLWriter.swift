/// Where nodes write their SQL.
///
/// A writer collects text and, beside it, the arguments of its parameters, in the order of the text. A writer
/// without room for arguments (DDL statements accept no parameter) writes values as SQL literals.
package struct SQLWriter {
    /// Nodes may look at the schema, at the moment they are written and no earlier.
    package let db: Database

    /// The SQL written so far.
    package private(set) var sql = ""

    /// The arguments of the parameters written so far.
    package private(set) var arguments = StatementArguments()

    /// Which tables columns belong to.
    var scopes = SQLScopes()

    /// The tables that aliases in nested statements referred to.
    var outerReferences: Set<OuterReference> = []

    private let writesLiterals: Bool

    /// Whether values are written as parameters.
    package var acceptsArguments: Bool { !writesLiterals }

    package init(_ db: Database, writesLiterals: Bool = false) {
        self.db = db
        self.writesLiterals = writesLiterals
    }

    package mutating func append(_ text: String) {
        sql += text
    }

    /// Removes the semicolons and comments at the end of the SQL that was written from an offset on.
    ///
    /// The text can then stand between parentheses. SQL without them stays unchanged.
    ///
    /// - Parameter offset: the length of the SQL, in bytes of UTF-8, before the statement was written.
    package mutating func trimStatement(from offset: Int) {
        let statement = sql[sql.utf8.index(sql.startIndex, offsetBy: offset)...]
        if let end = statement.endBeforeCommentsAndSemicolons { sql.removeSubrange(end...) }
    }

    /// Writes a parameter and remembers its value, or writes the value as a literal. NULL is always written.
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

    /// Writes SQL that comes with its own arguments.
    ///
    /// - throws: `SQLITE_MISUSE` where SQLite accepts no parameter.
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

    /// SQL has no word for infinity: a literal that overflows is one, and NaN is stored as NULL.
    private static func literal(_ double: Double) -> String {
        if double.isNaN { return "NULL" }
        if double.isInfinite { return double < 0 ? "-9e999" : "9e999" }
        return String(double)
    }

    /// SQLite ends a statement at a NUL character: a text that holds some is written as its bytes.
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
    /// The string as a quoted SQL identifier: `"player"`, with embedded quotes doubled.
    public var quotedDatabaseIdentifier: String { quoted(with: "\"") }

    /// The string between quotes, with those in it doubled.
    ///
    /// SQLite sees code points: a quote is one, even where Swift sees one character, the quote with an accent.
    package func quoted(with quote: Unicode.Scalar) -> String {
        let mark = String(quote)
        if !unicodeScalars.contains(quote) { return mark + self + mark }
        let parts = unicodeScalars.split(separator: quote, omittingEmptySubsequences: false).map { String($0) }
        return mark + parts.joined(separator: mark + mark) + mark
    }
}
