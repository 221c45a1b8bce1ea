import Amalgam
import Testing

@Suite("Queries, their syntax, and what they find")
struct FTS5QueryTests {
    @Test("a text is a phrase")
    func phrases() throws {
        try expectQuery("sqlite", "sqlite", finds: ["SQLite in Swift", "Databases"])
        try expectQuery("full text", #""full text""#, finds: ["SQLite in Swift"])
        try expectQuery(.phrase("full" + .prefix("mo")), #""full mo"*"#, finds: ["Full moon"])
        try expectQuery(.phrase("upon" + "a" + "time"), #""upon a time""#, finds: ["Full moon"])
        try expectQuery(.phrase(.prefix("fu") + "moon"), "fu* + moon", finds: ["Full moon"])
        try expectQuery(.prefix("dat"), "dat*", finds: ["SQLite in Swift", "Databases"])
        try expectQuery(.prefix("full te"), #""full te"*"#, finds: ["SQLite in Swift"])
        try expectQuery(.initial("java"), "^ java", finds: ["Java and Swift"])
        try expectQuery(.initial("once upon"), #"^ "once upon""#, finds: ["Full moon"])
        try expectQuery(.initial("upon"), "^ upon", finds: [])
    }

    @Test("phrases close to each other")
    func near() throws {
        try expectQuery(.near("search", "text"), "NEAR(search text)", finds: ["SQLite in Swift"])
        try expectQuery(.near("text", "search", distance: 3), "NEAR(text search, 3)", finds: ["SQLite in Swift"])
        try expectQuery(.near("search", "text", distance: 2), "NEAR(search text, 2)", finds: [])
        try expectQuery(
            .near("two languages", .prefix("eac"), "one"), #"NEAR("two languages" eac* one)"#,
            finds: ["Java and Swift"])
        try expectQuery(.near("two", "languages", distance: -1), "NEAR(two languages, 0)", finds: ["Java and Swift"])
        try expectQuery(.near("a", "b", distance: .max), "NEAR(a b, \(Int.max))", finds: [])
    }

    @Test("columns")
    func columns() throws {
        try expectQuery(FTS5Query("sqlite").inColumns("title"), "title : sqlite", finds: ["SQLite in Swift"])
        try expectQuery(FTS5Query("sqlite").notInColumns("title"), "- title : sqlite", finds: ["Databases"])
        try expectQuery(
            FTS5Query("sqlite").inColumns("title", "body"), "{title body} : sqlite",
            finds: ["SQLite in Swift", "Databases"])
        try expectQuery(FTS5Query("sqlite").notInColumns("title", "body"), "- {title body} : sqlite", finds: [])
        try expectQuery(
            FTS5Query("sqlite").inColumns(Article.Columns.title), "title : sqlite", finds: ["SQLite in Swift"])
        try expectQuery(
            FTS5Query("sqlite").notInColumns(Article.Columns.title, Article.Columns.author),
            "- {title author} : sqlite",
            finds: ["Databases"])
        try expectQuery(FTS5Query.initial("java").inColumns("title"), "title : ^ java", finds: ["Java and Swift"])
        try expectQuery(
            ("sqlite" || "java").inColumns("title"), "title : (sqlite OR java)",
            finds: ["SQLite in Swift", "Java and Swift"])
        try expectQuery(
            FTS5Query("sqlite").inColumns("title").inColumns("body"), "body : (title : sqlite)", finds: [])
        try expectQuery(FTS5Query("sqlite").inColumns([]), #""""#, finds: [])
        try expectQuery(FTS5Query("sqlite").notInColumns([]), "sqlite", finds: ["SQLite in Swift", "Databases"])
    }

    @Test("operators bind as they do in FTS5: parentheses are there where they are needed")
    func operators() throws {
        let (a, b, c): (FTS5Query, FTS5Query, FTS5Query) = ("swift", "java", "sqlite")
        try expectQuery(a && b, "swift java", finds: ["Java and Swift"])
        try expectQuery(a || c, "swift OR sqlite", finds: ["SQLite in Swift", "Databases", "Java and Swift"])
        try expectQuery(a && !b, "swift NOT java", finds: ["SQLite in Swift"])
        try expectQuery(
            a && b || c, "swift java OR sqlite", finds: ["SQLite in Swift", "Databases", "Java and Swift"])
        try expectQuery(a && (b || c), "swift AND (java OR sqlite)", finds: ["SQLite in Swift", "Java and Swift"])
        try expectQuery(c && a && !b, "sqlite swift NOT java", finds: ["SQLite in Swift"])
        try expectQuery(c && a.not(b), "sqlite AND swift NOT java", finds: ["SQLite in Swift"])
        try expectQuery((a || c).not(b), "(swift OR sqlite) NOT java", finds: ["SQLite in Swift", "Databases"])
        try expectQuery(a.not(b || c), "swift NOT (java OR sqlite)", finds: [])
        try expectQuery(a.not(b.not(c)), "swift NOT (java NOT sqlite)", finds: ["SQLite in Swift"])
        try expectQuery(a.not(b).not(c), "swift NOT (java OR sqlite)", finds: [])
        try expectQuery((a && b) && c, "swift java sqlite", finds: [])
        try expectQuery(a.or(b).or(c), "swift OR java OR sqlite")
        try expectQuery(a.and(b), "swift java")
    }

    @Test("lists")
    func lists() throws {
        #expect(FTS5Query.all([]) == nil)
        #expect(FTS5Query.any([]) == nil)
        #expect(FTS5Query.all(["swift"]) == "swift")
        #expect(FTS5Query.any(["swift"]) == "swift")
        try expectQuery(#require(.all(["swift", "java"])), "swift java", finds: ["Java and Swift"])
        try expectQuery(#require(.any(["swift", "java"])), "swift OR java")
        try expectQuery(
            #require(.all([FTS5Query("text"), FTS5Query("swift").inColumns("title"), .near("one", "text")])),
            "text title : swift NEAR(one text)", finds: ["Java and Swift"])
        try expectQuery(
            #require(.all(["rock" || "b", "swift", "c" || "text", "java"])),
            "swift java AND (rock OR b) AND (c OR text)",
            finds: ["Java and Swift"])
        try expectQuery(
            #require(FTS5Query.all(["sqlite", "swift"])?.not("java")), "sqlite swift NOT java",
            finds: ["SQLite in Swift"])
        try expectQuery(
            #require(FTS5Query.all(["sqlite", "swift"])).inColumns("title"), "title : (sqlite swift)",
            finds: ["SQLite in Swift"])
        try expectQuery(
            #require(FTS5Query.all(["one", "two"])) && "rock", "one two rock", finds: ["Java and Swift"])
        try expectQuery(
            FTS5Query("sqlite").not(#require(FTS5Query.all(["file", "tables"]))), "sqlite NOT file tables",
            finds: ["SQLite in Swift"])
    }

    @Test("phrases without token are ignored next to others, and match nothing alone")
    func noTokens() throws {
        try expectQuery("rock" && "&", #"rock "&""#, finds: ["Java and Swift"])
        try expectQuery(#require(.all(["rock", "&", "roll"])), #"rock "&" roll"#, finds: ["Java and Swift"])
        try expectQuery("rock" || "&", #"rock OR "&""#, finds: ["Java and Swift"])
        try expectQuery(FTS5Query("rock").not("&"), #"rock NOT "&""#, finds: ["Java and Swift"])
        try expectQuery("", #""""#, finds: [])
        try expectQuery(.prefix(""), #"""*"#, finds: [])
        try expectQuery(.prefix("?!"), #""?!"*"#, finds: [])
        try expectQuery(.initial("?!"), #"^ "?!""#, finds: [])
        try expectQuery(.near("?!", ""), #"NEAR("?!" "")"#, finds: [])
    }

    @Test(
        "texts are quoted, whatever is in them",
        arguments: [
            ("AND", #""AND""#), ("OR", #""OR""#), ("NOT", #""NOT""#), ("NEAR", #""NEAR""#), ("and", "and"),
            ("near", "near"), ("café", "café"), ("日本語", "日本語"), ("a_1", "a_1"), ("a-b", #""a-b""#),
            (#"say "hi""#, #""say ""hi""""#), ("(", #""(""#), ("title:x", #""title:x""#), ("a*", #""a*""#),
            ("^a", #""^a""#), ("{a}", #""{a}""#), ("a\0b", #""a b""#), ("a\u{1A}", "\"a\u{1A}\""), ("'", #""'""#),
            ("🎉", "🎉"), ("\u{202E}", "\u{202E}"), ("1 + 1", #""1 + 1""#), ("\"\u{301}é", "\"\"\"\u{301}é\""),
        ])
    func quotes(text: String, syntax: String) throws {
        try expectQuery(FTS5Query(text), syntax)
        try expectQuery(.near(FTS5Phrase(text), "x", distance: 1), "NEAR(\(syntax) x, 1)")
        try expectQuery(.phrase(.prefix("x") + FTS5Phrase(text)), "x* + \(syntax)")
        try withArticles { db in
            try db.execute(
                sql: "INSERT INTO article(title) VALUES (?)", arguments: ["x" + text.replacing("\0", with: " ")])
            let hasToken = text.contains { $0.isLetter || $0.isNumber }
            let found = try titles(db, matching: FTS5Query("x" + text).rawPattern())
            #expect(found.isEmpty == false || !hasToken)
        }
    }

    @Test("columns have any name")
    func columnNames() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: #"CREATE VIRTUAL TABLE t USING fts5("a b", "NOT", "q""q", "é")"#)
            try db.execute(sql: "INSERT INTO t VALUES ('one', 'two', 'three', 'four')")
            let filters: [(FTS5Query, String)] = [
                (FTS5Query("one").inColumns("a b"), #""a b" : one"#),
                (FTS5Query("two").inColumns("NOT"), #""NOT" : two"#),
                (FTS5Query("two").inColumns("not"), #"not : two"#),
                (FTS5Query("three").inColumns(#"q"q"#), #""q""q" : three"#),
                (FTS5Query("four").inColumns("é", "NOT"), #"{é "NOT"} : four"#),
                (FTS5Query("four").notInColumns("a b"), #"- "a b" : four"#),
            ]
            for (query, syntax) in filters {
                let pattern = try query.pattern(db, forTable: "t")
                #expect(pattern.rawPattern == syntax)
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t(?)", arguments: [pattern.rawPattern])
                #expect(count == 1)
            }
        }
    }

    @Test("queries are values")
    func values() {
        #expect(("a" && "b") as FTS5Query == FTS5Query("a").and("b"))
        #expect(("a" || "b") as FTS5Query != FTS5Query("b").or("a"))
        #expect(Set<FTS5Query>(["a", "a", .prefix("a")]).count == 2)
        #expect("\(FTS5Query("a b").inColumns("c"))" == #"c : "a b""#)
    }
}
