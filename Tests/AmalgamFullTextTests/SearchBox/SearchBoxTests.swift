import Amalgam
import Testing

@Suite("What people type into search boxes")
struct SearchBoxTests {
    static let syntax = SearchBoxSyntax(fields: ["title": ["title"], "body": ["body"], "by": ["author"]])

    private func expect(
        _ text: String, _ syntax: String?, _ options: SearchBoxSyntax = SearchBoxTests.syntax,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let rawPattern = try FTS5Query(searchBox: text, syntax: options)?.rawPattern()
        #expect(rawPattern == syntax, "\(text)", sourceLocation: sourceLocation)
        guard let rawPattern else { return }
        try withArticles { db in _ = try titles(db, matching: rawPattern) }
    }

    @Test("words and phrases")
    func words() throws {
        try expect("full text", "full text")
        try expect("  full\n\ttext ", "full text")
        try expect(#""full text""#, #""full text""#)
        try expect("“full text” «a b» „c d“ 「日本 語」", #""full text" "a b" "c d" "日本 語""#)
        try expect(#"a"b c"d"#, #"a "b c" d"#)
        try expect("don't e-mail C++", #""don't" "e-mail" "C++""#)
        try expect("http://x.org/a?b=c", #""http://x.org/a?b=c""#)
        try expect("and or not near", "and or not near")
        try expect("🎉", "🎉")
    }

    @Test("beginnings of words")
    func prefixes() throws {
        try expect("data*", "data*")
        try expect("data** base", "data* base")
        try expect(#""full te"*"#, #""full te"*"#)
        try expect("*", nil)
        try expect("da*ta", #""da*ta""#)
        try expect("title:da*", "title : da*")
        try expect("-da* x", "x NOT da*")
    }

    @Test("words to leave out")
    func exclusions() throws {
        try expect("swift -java", "swift NOT java")
        try expect("-java swift −rust NOT c", "swift NOT (java OR rust OR c)")
        try expect("swift -(java rust)", "swift NOT java rust")
        try expect("swift -(java OR rust)", "swift NOT (java OR rust)")
        try expect(#"swift -"java script""#, #"swift NOT "java script""#)
        try expect("swift --java", "swift NOT java")
        try expect("swift - java -", "swift java")
        try expect("-java", nil)
        try expect("NOT java", nil)
        try expect("NOT near OR", nil)
        try expect("-(-java)", nil)
        try expect("swift -(-java)", "swift")
        try expect("swift (-java)", "swift NOT java")
        try expect("swift -(a -b)", "swift NOT (a NOT b)")
        try expect("swift OR -java", "swift NOT java")
        try expect("swift AND -java", "swift NOT java")
        try expect("(swift -java) OR rust", "swift NOT java OR rust")
        try expect("swift AND NOT java OR rust", "swift NOT java OR rust")
    }

    @Test("operators: AND before OR before a blank")
    func operators() throws {
        try expect("a OR b", "a OR b")
        try expect("a | b || c", "a OR b OR c")
        try expect("a|b", "a OR b")
        try expect("a AND b", "a b")
        try expect("a && b", "a b")
        try expect("rock & roll", "rock roll")
        try expect("x a OR b y", "x y AND (a OR b)")
        try expect("a AND b OR c", "a b OR c")
        try expect("x AND (a OR b)", "x AND (a OR b)")
        try expect("OR a", "a")
        try expect("a OR", "a")
        try expect("a OR AND b", "a b")
        try expect("OR", #""OR""#)
        try expect(" AND NOT ", #""AND" "NOT""#)
        try expect("&&", nil)
        try expect("a AND", "a")
        try expect("a NOT", "a")
    }

    @Test("words that one of is enough")
    func anyWord() throws {
        let syntax = SearchBoxSyntax(fields: ["title"], defaultOperator: .or)
        try expect("a b -c", "(a OR b) NOT c", syntax)
        try expect("a AND b c", "a b OR c", syntax)
        try expect("title:(a b)", "title : (a OR b)", syntax)
        try expect("OR NOT", #""OR" OR "NOT""#, syntax)
    }

    @Test("fields")
    func fields() throws {
        try expect("title:sqlite", "title : sqlite")
        try expect("TITLE:sqlite", "title : sqlite")
        try expect("by:anna", "author : anna")
        try expect("title: sqlite", "title : sqlite")
        try expect("title：sqlite", "title : sqlite")
        try expect(#"title:"full text" x"#, #"title : "full text" x"#)
        try expect("title:(a OR b)", "title : (a OR b)")
        try expect("x -title:a", "x NOT title : a")
        try expect("x title:-a", "x NOT title : a")
        try expect("title:", nil)
        try expect("x title:", "x")
        try expect("title:by:x", #"title : "by:x""#)
        try expect("isbn:123", #""isbn:123""#)
        try expect("12:30", #""12:30""#)
        try expect("title:x", #""title:x""#, SearchBoxSyntax())
        try expect(
            "in:x", "{title body} : x", SearchBoxSyntax(fields: ["IN": ["title", "body"]]))
        try expect("in:x", #""""#, SearchBoxSyntax(fields: ["in": []]))
    }

    @Test("a field of no column finds nothing, whatever stands beside it")
    func fieldOfNoColumn() throws {
        let query = try #require(FTS5Query(searchBox: "in:x database", syntax: SearchBoxSyntax(fields: ["in": []])))
        try expectQuery(query, #"database AND """#, finds: [])
    }

    @Test("fields one after the other are the columns of all of them")
    func severalFields() throws {
        let syntax = SearchBoxSyntax(fields: ["in": ["title", "body"], "title": ["TITLE"], "body": ["body"]])
        try expect(#"in:"" title:x"#, "title : x", syntax)
        try expect(#"title:"" body:x"#, #""""#, syntax)
    }

    @Test("any number of fields is read")
    func manyFields() throws {
        try expect(String(repeating: #"title:"" "#, count: 100) + "x", "title : x")
    }

    @Test("parentheses, and those that are not closed or opened")
    func parentheses() throws {
        try expect("(a OR b) c", "c AND (a OR b)")
        try expect("(a", "a")
        try expect("a)", "a")
        try expect(")a(", "a")
        try expect("()", nil)
        try expect("a () b", "a b")
        try expect("((((((a OR b))))))", "a OR b")
        try expect("(((((a OR b) c) d) e) f) g", "g f e c d AND (a OR b)")
        try expect("f(x)", "f x")
        try expect("（a OR b）c", "c AND (a OR b)")
        try expect("(a -) b", "a b")
        try expect(#"(a "b) c"#, #"a "b) c""#)
    }

    @Test("the last word is perhaps the beginning of one")
    func lastWord() throws {
        var syntax = Self.syntax
        syntax.matchesPrefixOfLastWord = true
        try expect("full te", "full te*", syntax)
        try expect("full te ", "full te", syntax)
        try expect(#""full te"#, #""full te"*"#, syntax)
        try expect(#""full te""#, #""full te""#, syntax)
        try expect("a -te", "a NOT te", syntax)
        try expect("title:te", "title : te*", syntax)
        try expect("a OR te", "a OR te*", syntax)
        try expect("(a te", "a te*", syntax)
        try expect("(a te)", "a te", syntax)
        try expect("te*", "te*", syntax)
        try expect("a OR", "a", syntax)
    }

    @Test(
        "nothing to look for", arguments: ["", " ", "-", "\"", "\"\"", "()", "?!", "* - & + ( \" :", "\0", "\u{3000}"])
    func nothing(text: String) {
        #expect(FTS5Query(searchBox: text) == nil)
    }

    @Test("long texts are read up to a point")
    func longTexts() throws {
        let many = (1...1_000).map { "w\($0)" }.joined(separator: " ")
        let query = try #require(FTS5Query(searchBox: many))
        #expect(query.description.split(separator: " ").count == 256)
        let long = try #require(FTS5Query(searchBox: String(repeating: "x", count: 100_000)))
        #expect(long.description.count == 8_192)
        // One character with many scalars.
        let tall = try #require(FTS5Query(searchBox: "x e" + String(repeating: "\u{301}", count: 100_000)))
        #expect(tall.description.unicodeScalars.count == 8_192)
        let last = SearchBoxSyntax(matchesPrefixOfLastWord: true)
        #expect(FTS5Query(searchBox: many, syntax: last)?.description.contains("*") == false)
    }
}
