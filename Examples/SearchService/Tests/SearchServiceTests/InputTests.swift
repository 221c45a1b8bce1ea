import Foundation
import ServiceInputs
import Testing

@Suite struct `What clients send` {
    @Test(arguments: [
        ("a=%41%2b+b", "A+ b"), ("a=%", "%"), ("a=%4", "%4"), ("a=100%", "100%"), ("a=%+1", "% 1"), ("a=%-1", "%-1"),
        ("a=%4g", "%4g"), ("a=%%41", "%A"), ("a=%é", "%é"), ("a=%ff", "\u{FFFD}"), ("a=%00", "\0"), ("a=b=c", "b=c"),
        ("a=\u{301}b", "\u{301}b"), ("b&\u{301}&a=c", "c"),
    ])
    func `an escape has two hexadecimal digits, and everything else is text`(_ encoded: String, _ value: String) {
        #expect(FormFields(encoded)["a"] == value)
    }

    @Test func `a text is cut after 500 Unicode scalars, also in the middle of a character`() {
        var fields = FormFields()
        fields.append("q", "a" + String(repeating: "\u{301}", count: 100_000))
        #expect(SearchParameters(fields).text.unicodeScalars.count == 500)
    }

    @Test(arguments: [(1, 500), (20, 5), (30, 3), (500, 1)])
    func `a page links to pages with the same choices`(_ facets: Int, _ values: Int) {
        var fields = FormFields()
        for facet in (0..<facets).reversed() {
            for value in 0..<values { fields.append("facet.\(facet)", "\(value)") }
        }
        let parameters = SearchParameters(fields)
        #expect(!parameters.choices.isEmpty)
        #expect(parameters.choices.count <= SearchParameters.facetLimit)
        #expect(parameters.choices.values.reduce(0) { $0 + $1.count } <= SearchParameters.choiceLimit)
        #expect(SearchParameters(FormFields(parameters.query)) == parameters)
    }

    @Test func `the name of a facet may begin with a combining mark`() {
        let parameters = SearchParameters(choices: ["\u{301}": ["1"]])
        #expect(SearchParameters(FormFields(parameters.query)) == parameters)
    }

    @Test(arguments: ["0", "101", "-1", "1.5", " 1", "99999999999999999999", "x", ""])
    func `the number of results is between 1 and 100`(_ count: String) {
        #expect(throws: InvalidInput.self) { try FormFields("count=\(count)").resultCount() }
        #expect(throws: InvalidInput.self) { try FormFields("before=\(count)x").entryBefore() }
    }
}
