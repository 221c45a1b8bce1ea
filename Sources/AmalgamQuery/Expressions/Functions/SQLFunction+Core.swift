// The deterministic scalar functions of SQLite: <https://sqlite.org/lang_corefunc.html>.

extension SQLFunction {
    /// The absolute value: `ABS(x)`.
    public static let abs = SQLFunction(builtIn: "ABS")

    /// The string of Unicode code points: `CHAR(65, 110, 110, 97)`.
    public static let char = SQLFunction(builtIn: "CHAR")

    /// Concatenated strings, where NULL is an empty string: `CONCAT(x, y)`.
    public static let concat = SQLFunction(builtIn: "CONCAT")

    /// Strings concatenated with the first argument as separator, without NULL: `CONCAT_WS(', ', x, y)`.
    public static let concatWithSeparator = SQLFunction(builtIn: "CONCAT_WS")

    /// A string built from a format and values: `FORMAT('%05.2f', x)`. See <https://sqlite.org/printf.html>.
    public static let format = SQLFunction(builtIn: "FORMAT")

    /// The bytes of a blob or string in hexadecimal: `HEX(x)`.
    public static let hex = SQLFunction(builtIn: "HEX")

    /// The position at which a string first contains another string: `INSTR(string, part)`. The first position is 1.
    /// The result is 0 if the string doesn't contain the part.
    public static let instr = SQLFunction(builtIn: "INSTR")

    /// The number of characters of a string, or of bytes of a blob: `LENGTH(x)`.
    public static let length = SQLFunction(builtIn: "LENGTH")

    /// The string with ASCII letters in lower case: `LOWER(x)`. For all letters, see `lowercased`.
    public static let lower = SQLFunction(builtIn: "LOWER")

    /// The string without leading blanks, or without other leading characters: `LTRIM(x)`, `LTRIM(x, characters)`.
    public static let ltrim = SQLFunction(builtIn: "LTRIM")

    /// The first argument, or NULL if both arguments are equal: `NULLIF(x, y)`.
    public static let nullIf = SQLFunction(builtIn: "NULLIF")

    /// The number of bytes of a string or blob: `OCTET_LENGTH(x)`.
    public static let octetLength = SQLFunction(builtIn: "OCTET_LENGTH")

    /// A value as an SQL literal: `QUOTE(x)`.
    public static let quote = SQLFunction(builtIn: "QUOTE")

    /// The string with all occurrences of a part replaced: `REPLACE(string, part, replacement)`.
    public static let replace = SQLFunction(builtIn: "REPLACE")

    /// The number rounded to an integer, or to a number of decimals: `ROUND(x)`, `ROUND(x, decimals)`.
    public static let round = SQLFunction(builtIn: "ROUND")

    /// The string without trailing blanks, or without other trailing characters: `RTRIM(x)`, `RTRIM(x, characters)`.
    public static let rtrim = SQLFunction(builtIn: "RTRIM")

    /// The sign of a number, -1, 0 or 1: `SIGN(x)`.
    public static let sign = SQLFunction(builtIn: "SIGN")

    /// A part of a string or blob, given by its start, from 1, and its length: `SUBSTR(x, start, length)`.
    public static let substr = SQLFunction(builtIn: "SUBSTR")

    /// The string without leading and trailing blanks, or without other characters: `TRIM(x)`, `TRIM(x, characters)`.
    public static let trim = SQLFunction(builtIn: "TRIM")

    /// The storage class of a value, `null`, `integer`, `real`, `text` or `blob`: `TYPEOF(x)`.
    public static let typeof = SQLFunction(builtIn: "TYPEOF")

    /// The bytes of a string of hexadecimal digits, or NULL if it is invalid: `UNHEX(x)`.
    public static let unhex = SQLFunction(builtIn: "UNHEX")

    /// The Unicode code point of the first character: `UNICODE(x)`.
    public static let unicode = SQLFunction(builtIn: "UNICODE")

    /// The string with ASCII letters in upper case: `UPPER(x)`. For all letters, see `uppercased`.
    public static let upper = SQLFunction(builtIn: "UPPER")
}
