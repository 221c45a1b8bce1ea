package import AmalgamCore

/// The tokens of a schema statement, without whitespace and comments. Names are unquoted, and compared as SQLite compares them.
///
/// Two schema statements are considered equal if their tokens are equal. Syntax errors aren't detected: SQLite must
/// have accepted both statements.
package struct SQLTokens: Equatable {
    private enum Token: Equatable {
        /// An unquoted word that means something else in quotes, such as UNIQUE: see ``SQLTokens/keywords``.
        case keyword(TableName)
        /// A name in quotes, or any other word.
        case name(TableName)
        case number(TableName)
        /// The content of a string literal.
        case text(ExactString)
        /// The hexadecimal digits of a blob literal.
        case blob(TableName)
        /// A character of an operator, a parenthesis, a comma or a period.
        case sign(UInt8)
    }

    private var tokens: [Token] = []

    package init(_ sql: String) {
        var rest = Array(sql.utf8)[...]
        while let first = rest.first { read(first, &rest) }
    }

    private mutating func read(_ first: UInt8, _ rest: inout ArraySlice<UInt8>) {
        switch first {
        case 9...13, 32:
            rest.removeFirst()
        case 0xEF where rest.starts(with: Self.byteOrderMark):
            rest = rest.dropFirst(Self.byteOrderMark.count)
        case UInt8(ascii: "-") where rest.starts(with: "--".utf8):
            rest = rest.drop { $0 != UInt8(ascii: "\n") }
        case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
            rest = Self.afterComment(rest)
        case UInt8(ascii: "'"):
            tokens.append(.text(ExactString(Self.takeQuoted(&rest, until: first))))
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            tokens.append(.name(TableName(Self.takeQuoted(&rest, until: first))))
        case UInt8(ascii: "["):
            tokens.append(.name(TableName(Self.takeQuoted(&rest, until: UInt8(ascii: "]")))))
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            if rest.dropFirst().first == UInt8(ascii: "'") { readBlob(&rest) } else { readWord(&rest) }
        case _ where Self.isDigit(first) || (first == Self.period && rest.dropFirst().first.map(Self.isDigit) == true):
            tokens.append(.number(TableName(Self.takeNumber(&rest))))
        case _ where Self.isPartOfWord(first):
            readWord(&rest)
        default:
            tokens.append(.sign(first))
            rest.removeFirst()
        }
    }

    private mutating func readBlob(_ rest: inout ArraySlice<UInt8>) {
        rest.removeFirst()
        tokens.append(.blob(TableName(Self.takeQuoted(&rest, until: UInt8(ascii: "'")))))
    }

    private mutating func readWord(_ rest: inout ArraySlice<UInt8>) {
        let word = TableName(Self.take(&rest, while: Self.isPartOfWord))
        tokens.append(Self.keywords.contains(word) ? .keyword(word) : .name(word))
    }

    private static let period = UInt8(ascii: ".")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"): true
        default: byte >= 0x80
        }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, while isIncluded: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: isIncluded)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }

    /// Removes a number, such as `12`, `1_000`, `0xFF`, `.5` or `1.5e-3`.
    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> String {
        var number = take(&rest) { isPartOfWord($0) || $0 == period }
        let isHexadecimal = number.utf8.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let sign = rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-")
        if sign, !isHexadecimal, number.utf8.last.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            number += String(decoding: [rest.removeFirst()], as: UTF8.self) + take(&rest, while: isPartOfWord)
        }
        return number
    }

    /// Removes a quoted token, and returns its content, in which two quotes are replaced with one.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>, until quote: UInt8) -> String {
        var bytes: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first == quote, quote != UInt8(ascii: "]") else { break }
                rest.removeFirst()
            }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func afterComment(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = rest.dropFirst(2)
        while !rest.isEmpty && !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        return rest.dropFirst(2)
    }
}

extension SQLTokens {
    /// The words that mean something else in quotes: those that SQLite doesn't accept as unquoted names, and words that can be
    /// a name or not, such as LEFT in `a LEFT JOIN b`, where `a "LEFT" JOIN b` gives a name to `a`.
    package static let keywords = Set(
        (reservedWords + contextualWords).split { $0 == " " || $0 == "\n" }.map { TableName(String($0)) })

    private static let reservedWords = """
        ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT DEFERRABLE DELETE
        DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS FOREIGN FROM GROUP HAVING IN INDEX INSERT INTERSECT INTO IS ISNULL JOIN LIMIT
        NOT NOTHING NOTNULL NULL ON OR ORDER PRIMARY REFERENCES RETURNING SELECT SET TABLE THEN TO TRANSACTION UNION UNIQUE
        UPDATE USING VALUES WHEN WHERE

        """

    private static let contextualWords = """
        CROSS FULL INNER LEFT NATURAL OUTER RIGHT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP TRUE FALSE
        """
}
