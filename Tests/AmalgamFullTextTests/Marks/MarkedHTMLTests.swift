import Amalgam
import TestSupport
import Testing

@Suite("Marks in HTML")
struct MarkedHTMLTests {
    private let module = FTS5TokenizerModule.html()

    private func marked(
        _ text: String, _ pattern: FTS5Query, tokenizer: FTS5TokenizerDescriptor? = nil,
        modules: [FTS5TokenizerModule] = []
    ) throws -> FTS5MarkedText {
        try withDocuments([text], tokenizer: tokenizer, modules: modules) { db in
            let request = Document.matching(pattern).select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
            return try #require(try request.fetchOne(db))
        }
    }

    @Test("a string is escaped scalar by scalar")
    func escaping() {
        #expect(FTS5.html(#"<b class="x">R & 'B'</b>"#) == "&lt;b class=&quot;x&quot;&gt;R &amp; &#39;B&#39;&lt;/b&gt;")
        #expect(FTS5.html("<\u{338}b>") == "&lt;\u{338}b&gt;")
        #expect(FTS5.html("plain 東京 🎉"[...]) == "plain 東京 🎉")
        #expect(FTS5.html("") == "")
    }

    @Test("only the markers of a result are tags")
    func injection() throws {
        let text = "<script>alert('1')</script> & <img src=\"x\"> needle<\u{338} \u{2}needle\u{3}"
        let html = FTS5.html(try marked(text, "needle"))
        #expect(html.contains("<mark>needle</mark>&lt;\u{338}") || html.contains("<mark>needle&lt;\u{338}</mark>"))
        let unmarked = html.replacing("<mark>", with: "").replacing("</mark>", with: "")
        #expect(!unmarked.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) }, "\(html)")
        #expect(
            FTS5.html(try marked("a <b> c", "b"), from: "<i class='m'>", to: "</i>") == "a &lt;<i class='m'>b</i>&gt; c"
        )
    }

    @Test("the visible text of a document in HTML, with its marks")
    func visibleText() throws {
        func visible(_ text: String, _ pattern: FTS5Query) throws -> String {
            let marked = try marked(text, pattern, tokenizer: module.descriptor(), modules: [module])
            return FTS5.html(marked.strippingHTML(), from: "[", to: "]")
        }
        let page = "<p>Un caf&eacute; <b>no</b>ir &lt; 10</p><script>noir()</script><!-- noir -->"
        expectEqual(try visible(page, "noir"), " Un café [noir] &lt; 10 ")
        expectEqual(try visible(page, "cafe"), " Un [café] noir &lt; 10 ")
        expectEqual(try visible(page, "cafe noir"), " Un [café noir] &lt; 10 ")
        expectEqual(try visible("<b>x</b>", "x"), "[x]")
        expectEqual(try visible("1 < 2 & x", "x"), "1 &lt; 2 &amp; [x]")
        expectEqual(try visible("plain x", "x"), "plain [x]")
        expectEqual(try visible("&eacute;&eacute;", "éé"), "[éé]")
        expectEqual(try visible("so&shy;ft x", "soft"), "[soft] x")
    }

    @Test("markers in a document in HTML don't cross its tags")
    func trustedHTML() throws {
        func html(_ text: String, _ pattern: FTS5Query) throws -> String {
            let marked = try marked(text, pattern, tokenizer: module.descriptor(), modules: [module])
            return FTS5.html(inTrustedHTML: marked, from: "[", to: "]")
        }
        expectEqual(try html("<p>Un <b>no</b>ir</p>", "noir"), "<p>Un <b>[no]</b>[ir]</p>")
        expectEqual(
            try html("<p>Un caf&eacute; <b>no</b>ir</p>", "cafe noir"), "<p>Un [caf&eacute; ]<b>[no]</b>[ir]</p>")
        expectEqual(try html("<p>a</p><p>b</p>", "a b"), "<p>[a]</p><p>[b]</p>")
        expectEqual(try html("a<script>b()</script> b", "a b"), "[a]<script>b()</script>[ b]")
        expectEqual(try html("<b>\u{301}x</b>", "x"), "<b>\u{301}[x]</b>")
        expectEqual(try html("no tags", "tags"), "no [tags]")
    }

    @Test("a snippet of a document in HTML")
    func snippets() throws {
        let page = "<ul><li>one two<li>three <b class='x'>fo</b>ur &amp; five<li>six</ul>"
        try withDocuments([page], tokenizer: module.descriptor(), modules: [module]) { db in
            let request = Document.matching("four")
                .select(FTS5.markedSnippet(Column("body"), tokenCount: 3), as: FTS5MarkedSnippet.self)
            let snippet = try #require(try request.fetchOne(db))
            #expect(FTS5.html(snippet.strippingHTML()) == "…three <mark>four</mark> &amp; five…")
            #expect(FTS5.html(snippet.strippingHTML(), ellipsis: "<>").hasPrefix("&lt;&gt;three"))
        }
    }

    @Test("random documents: the visible text has the marks of the same words, and markers keep the tags")
    func randomDocuments() throws {
        let pieces = [
            "needle", "<b>nee</b>dle", "n&#101;edle", "<p>", "</p>", "<b>", "</b>", " ", "x ", "&amp;", "<", "&", "é",
            "\u{301}",
            "<!-- needle -->", "<script>needle</script>", "<br>", "needle<i>",
        ]
        var random = RandomDocuments(seed: 9)
        let texts = (0..<300).map { _ in random.document(of: pieces, count: 1...20) }
        try withDocuments(texts, tokenizer: module.descriptor(), modules: [module]) { db in
            let request = Document.matching("needle").select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
            let found = try request.fetchAll(db)
            #expect(found.count > 100)
            for marked in found {
                let visible = marked.strippingHTML()
                #expect(visible.marks.count == marked.marks.count)
                for mark in visible.marks { #expect(visible.text[mark.range].hasPrefix("need"), "\(marked.text)") }
                let html = FTS5.html(inTrustedHTML: marked, from: "\u{2}", to: "\u{3}")
                #expect(
                    html.unicodeScalars.filter { $0 != "\u{2}" && $0 != "\u{3}" }.elementsEqual(
                        marked.text.unicodeScalars))
                for part in html.split(separator: "\u{2}").dropFirst() {
                    let inside = part.prefix { $0 != "\u{3}" }
                    #expect(!inside.contains("<") || inside.contains("< "), "\(html)")
                }
            }
        }
    }
}
