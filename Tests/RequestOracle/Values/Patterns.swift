// LIKE and GLOB: <https://sqlite.org/lang_expr.html#like>.

enum Pattern {
    /// `%` stands for any characters, `_` for one. ASCII letters match in both cases.
    static func like(_ string: [UInt8], _ pattern: [UInt8]) -> Bool {
        matches(characters(Collation.nocase.key(of: string)), characters(Collation.nocase.key(of: pattern)), "%", "_")
    }

    /// `*` stands for any characters, `?` for one.
    static func glob(_ string: [UInt8], _ pattern: [UInt8]) -> Bool {
        matches(characters(string), characters(pattern), "*", "?")
    }

    private static func characters(_ bytes: [UInt8]) -> ArraySlice<Unicode.Scalar> {
        Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    }

    private static func matches(
        _ string: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>, _ many: Unicode.Scalar,
        _ one: Unicode.Scalar
    ) -> Bool {
        guard let first = pattern.first else { return string.isEmpty }
        if first == many {
            return (0...string.count).contains { matches(string.dropFirst($0), pattern.dropFirst(), many, one) }
        }
        guard let character = string.first, first == one || first == character else { return false }
        return matches(string.dropFirst(), pattern.dropFirst(), many, one)
    }
}
