import AmalgamCore
import Testing

/// Strings that Swift takes for equal, and SQLite doesn't.
struct ExactStringTests {
    /// é as one scalar and as two, K and the sign of Kelvin, and two marks in both orders, which have as many bytes.
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("a\u{323}\u{307}", "a\u{307}\u{323}")])
    func equivalentStringsDiffer(_ lhs: String, _ rhs: String) {
        #expect(lhs == rhs)
        #expect(!lhs.equalsExactly(rhs))
        #expect(ExactString(lhs) != ExactString(rhs))
        #expect(Set([lhs, rhs, lhs].map(ExactString.init)).count == 2)
        #expect(TableName(lhs) != TableName(rhs))
        #expect(Set([lhs, rhs, lhs].map(TableName.init)).count == 2)
    }

    @Test(arguments: ["", "a", "\u{E9}", "e\u{301}", String(repeating: "SELECT \u{E9} ", count: 10)])
    func equalBytesAreEqual(_ string: String) {
        let copy = String(decoding: Array(string.utf8), as: UTF8.self)
        #expect(string.equalsExactly(copy))
        #expect(ExactString(string) == ExactString(copy))
        #expect(ExactString(string).hashValue == ExactString(copy).hashValue)
        #expect(!string.equalsExactly(copy + " "))
        #expect(ExactString(string).string.utf8.elementsEqual(string.utf8))
    }

    @Test func tableNamesIgnoreTheCaseOfASCIILetters() {
        #expect(TableName("Player") == TableName("pLAYER"))
        #expect(TableName("Player").hashValue == TableName("pLAYER").hashValue)
        #expect(TableName("\u{C9}") != TableName("\u{E9}"))
        #expect(TableName("Player").spelling == "Player")
    }
}
