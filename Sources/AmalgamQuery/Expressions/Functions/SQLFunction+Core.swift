// The scalar functions of SQLite that depend on their arguments only: <https://sqlite.org/lang_corefunc.html>.

extension SQLFunction {
    /// The absolute value: `ABS(x)`.
    public static let abs = SQLFunction(builtIn: "ABS")

    /// The text of some Unicode code points: `CHAR(65, 110, 110, 97)`.
    public static let char = SQLFunction(builtIn: "CHAR")

    /// Texts joined, where NULL is the empty text: `CONCAT(x, y)`.
    public static let concat = SQLFunction(builtIn: "CONCAT")

    /// Texts joined with the first one between them, without NULL: `CONCAT_WS(', ', x, y)`.
    public static let concatWithSeparator = SQLFunction(builtIn: "CONCAT_WS")

    /// A text made of a format and values: `FORMAT('%05.2f', x)`. See <https://sqlite.org/printf.html>.
    public static let format = SQLFunction(builtIn: "FORMAT")

    /// The bytes of a blob or text in hexadecimal: `HEX(x)`.
    public static let hex = SQLFunction(builtIn: "HEX")

    /// The position of a text in another one, from 1 on, and 0 where it is not: `INSTR(text, part)`.
    public static let instr = SQLFunction(builtIn: "INSTR")

    /// The number of characters of a text, or of bytes of a blob: `LENGTH(x)`.
    public static let length = SQLFunction(builtIn: "LENGTH")

    /// A text with the ASCII letters in lower case: `LOWER(x)`. For all letters, see `lowercased`.
    public static let lower = SQLFunction(builtIn: "LOWER")

    /// A text without blanks, or other characters, at its start: `LTRIM(x)`, `LTRIM(x, characters)`.
    public static let ltrim = SQLFunction(builtIn: "LTRIM")

    /// The first value, or NULL when both are equal: `NULLIF(x, y)`.
    public static let nullIf = SQLFunction(builtIn: "NULLIF")

    /// The number of bytes of a text or blob: `OCTET_LENGTH(x)`.
    public static let octetLength = SQLFunction(builtIn: "OCTET_LENGTH")

    /// A value as an SQL literal: `QUOTE(x)`.
    public static let quote = SQLFunction(builtIn: "QUOTE")

    /// A text in which a part is replaced: `REPLACE(text, part, replacement)`.
    public static let replace = SQLFunction(builtIn: "REPLACE")

    /// A number rounded to an integer, or to some decimals: `ROUND(x)`, `ROUND(x, decimals)`.
    public static let round = SQLFunction(builtIn: "ROUND")

    /// A text without blanks, or other characters, at its end: `RTRIM(x)`, `RTRIM(x, characters)`.
    public static let rtrim = SQLFunction(builtIn: "RTRIM")

    /// -1, 0 or 1: `SIGN(x)`.
    public static let sign = SQLFunction(builtIn: "SIGN")

    /// A part of a text or blob, by its position, from 1 on, and length: `SUBSTR(x, start, length)`.
    public static let substr = SQLFunction(builtIn: "SUBSTR")

    /// A text without blanks, or other characters, at both ends: `TRIM(x)`, `TRIM(x, characters)`.
    public static let trim = SQLFunction(builtIn: "TRIM")

    /// How a value is stored, `null`, `integer`, `real`, `text` or `blob`: `TYPEOF(x)`.
    public static let typeof = SQLFunction(builtIn: "TYPEOF")

    /// The bytes that a hexadecimal text says, or NULL: `UNHEX(x)`.
    public static let unhex = SQLFunction(builtIn: "UNHEX")

    /// The Unicode code point of the first character: `UNICODE(x)`.
    public static let unicode = SQLFunction(builtIn: "UNICODE")

    /// A text with the ASCII letters in upper case: `UPPER(x)`. For all letters, see `uppercased`.
    public static let upper = SQLFunction(builtIn: "UPPER")
}
