import Foundation
import ServiceInputs
import Testing

@testable import SearchService

@Suite struct `The search API` {
    @Test func `finds documents with stems and typos, and marks the matches`() async throws {
        let answer = try await TestService().test { try await $0.get("/api/search?q=oter+swimmng") }
        #expect(answer.status == 200)
        let otter = try await TestService().test { try await $0.get("/api/search?q=oter") }
        let result: SearchResult = try otter.decoded()
        #expect(Set(result.hits.map(\.path)) == ["notes/otters.md", "src/otter.swift"])
        let marked = result.hits.flatMap { $0.title }.filter(\.isMarked).map { $0.text.lowercased() }
        #expect(marked == ["otters", "otters"])
    }

    @Test func `finds the beginning of a word while the user types`() async throws {
        let answer = try await TestService().test { try await $0.get("/api/search?q=her&typing=1") }
        #expect(try answer.decoded(SearchResult.self).hits.map(\.path) == ["src/heron.txt"])
        let whole = try await TestService().test { try await $0.get("/api/search?q=her") }
        #expect(try whole.decoded(SearchResult.self).hits.isEmpty)
    }

    @Test func `finds synonyms`() async throws {
        let test = try TestService(["a.txt": "The automobile stops."])
        let answer = try await test.test { try await $0.get("/api/search?q=car") }
        #expect(try answer.decoded(SearchResult.self).hits.count == 1)
    }

    @Test func `knows the languages of documents`() async throws {
        let test = try TestService(
            ["a.de.txt": "Die Häuser der Stadt.", "b.en.txt": "The houses of the city."]
        ) { $0.languages = ["en", "de"] }
        let answer = try await test.test { try await $0.get("/api/search?q=%22Haus%22") }
        #expect(try answer.decoded(SearchResult.self).hits.map(\.path) == ["a.de.txt"])
    }

    @Test func `returns pages by cursor, without repetition`() async throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<7).map { ("\($0).txt", "An otter, number \($0).") })
        let test = try TestService(files)
        let paths = try await test.test { browser in
            var paths: [String] = []
            var uri = "/api/search?q=otter&count=3"
            while true {
                let result: SearchResult = try await browser.get(uri).decoded()
                #expect(result.count == ResultCount(upTo: 100, 7))
                paths += result.hits.map(\.path)
                guard let next = result.next else { return paths }
                uri = "/api/search?q=otter&count=3&after=\(next)"
            }
        }
        #expect(paths.count == 7)
        #expect(Set(paths) == Set(files.keys))
    }

    @Test func `answers searches with very many matches in a large text`() async throws {
        let text = String(repeating: "about an okapi and a apple\n", count: 145_000)
        let test = try TestService(["large.txt": text])
        try await test.test { browser in
            let found: SearchResult = try await browser.get("/api/search?q=okapi").decoded()
            #expect(found.hits.map(\.path) == ["large.txt"])
            let hostile = Array(repeating: "a*", count: 20).joined(separator: "%20OR%20")
            #expect(try await browser.get("/api/search?q=\(hostile)").status == 200)
        }
    }

    @Test(arguments: ["after=!", "count=0", "count=x", "count=1000"])
    func `refuses invalid parameters`(_ parameter: String) async throws {
        let answer = try await TestService().test { try await $0.get("/api/search?q=a&\(parameter)") }
        #expect(answer.status == 400)
        #expect(try answer.decoded(APIError.self).error.message.isEmpty == false)
    }

    @Test(arguments: ["%22", "%22%22%22", "(((", "a%20OR", "%00", "title:", "-", "*", "NEAR(", "%F0%9F%8D%95", "';--"])
    func `has no syntax errors`(_ text: String) async throws {
        let answer = try await TestService().test { try await $0.get("/api/search?q=\(text)") }
        #expect(answer.status == 200)
    }

    @Test func `counts facets, and keeps the other values of a facet with a choice`() async throws {
        let test = try TestService(
            ["a.md": "otter", "b.md": "otter", "c.txt": "otter", "d.txt": "otter", "e.txt": "heron"])
        let uri = "q=otter&facet.kind=Markdown"
        let (context, result) = try await test.test { browser in
            (
                try await browser.get("/api/context?\(uri)").decoded(SearchContext.self),
                try await browser.get("/api/search?\(uri)").decoded(SearchResult.self)
            )
        }
        #expect(Set(result.hits.map(\.path)) == ["a.md", "b.md"])
        let kinds = context.facets.first { $0.name == "kind" }?.values ?? []
        #expect(
            kinds == [
                FacetValue(value: "Markdown", count: 2, isChosen: true),
                FacetValue(value: "Text", count: 2, isChosen: false),
            ])
    }

    @Test func `suggests a spelling that documents have`() async throws {
        let answer = try await TestService().test { try await $0.get("/api/context?q=databsae") }
        #expect(try answer.decoded(SearchContext.self).didYouMean == "database")
    }

    @Test func `tells the plan`() async throws {
        let answer = try await TestService().test { try await $0.get("/api/plan?q=otter") }
        let plan: SearchPlan = try answer.decoded()
        #expect(plan.sql.contains("MATCH"))
        #expect(plan.plan.contains("best rows first"))
    }

    @Test(arguments: ["newest", "oldest", "title", "relevance"])
    func `orders results`(_ sort: String) async throws {
        let answer = try await TestService().test { try await $0.get("/api/search?q=otter&sort=\(sort)") }
        #expect(try answer.decoded(SearchResult.self).hits.count == 2)
    }
}

@Suite struct `The search page` {
    @Test func `works without JavaScript`() async throws {
        let answer = try await TestService().test { try await $0.get("/?q=otter") }
        #expect(answer.status == 200)
        #expect(answer.text.contains("2 results"))
        #expect(answer.text.contains("<mark>Otters</mark> of the river"))
        #expect(answer.text.contains(#"name="facet.kind" value="Swift""#))
    }

    @Test func `lists all documents without a search`() async throws {
        let answer = try await TestService().test { try await $0.get("/") }
        #expect(answer.text.contains("3 results"))
    }

    @Test func `escapes what documents and visitors write`() async throws {
        let attack = "<script>alert(1)</script> \"\u{301} onfocus='x' &"
        let test = try TestService(["a.txt": "\(attack) otter"])
        let query = "otter " + attack
        var fields = FormFields()
        fields.append("q", query)
        let uri = "/?" + fields.encoded
        let answer = try await test.test { try await $0.get(uri) }
        #expect(!answer.text.contains("<script>alert"))
        #expect(
            answer.text.contains(
                "value=\"otter &lt;script&gt;alert(1)&lt;/script&gt; &quot;\u{301} onfocus=&#39;x&#39; &amp;\""))
    }

    @Test func `has no template with unescaped values`() throws {
        let folder = Resources.url("templates")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
            #expect(!text.contains(" style=") && !text.contains("onclick") && !text.contains("<script>"), "\(name)")
        }
    }
}
