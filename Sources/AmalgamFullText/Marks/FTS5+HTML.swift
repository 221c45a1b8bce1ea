extension FTS5 {
    /// Returns a string as HTML: the characters `&`, `<`, `>`, `"` and `'` are replaced by character references.
    ///
    /// ```swift
    /// FTS5.html("Rock & <i>Roll</i>")   // Rock &amp; &lt;i&gt;Roll&lt;/i&gt;
    /// ```
    ///
    /// The result is correct as the content of an element, and as the value of a quoted attribute.
    public static func html(_ text: some StringProtocol) -> String {
        var html = ""
        html.append(escaping: text)
        return html
    }

    /// Returns a string as HTML, with markers around its matches. Everything except for the markers is escaped.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { FTS5.markedText($0.title) }
    /// for title in try request.asRequest(of: FTS5MarkedText.self).fetchAll(db) {
    ///     print(FTS5.html(title))   // A book about <mark>SQLite</mark> &amp; other databases
    /// }
    /// ```
    ///
    /// A document can't add tags to the result, unlike to that of `highlight()`. For documents in HTML, call
    /// ``FTS5MarkedText/strippingHTML()`` first: otherwise, the result shows their tags as text.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - open: The HTML to insert before a match. It isn't escaped.
    ///   - close: The HTML to insert after a match. It isn't escaped.
    public static func html(
        _ text: FTS5MarkedText, from open: String = "<mark>", to close: String = "</mark>"
    ) -> String {
        var html = ""
        for segment in text.segments {
            if segment.isMarked { html += open }
            html.append(escaping: segment.text)
            if segment.isMarked { html += close }
        }
        return html
    }

    /// Returns a snippet as HTML, with markers around its matches. Everything except for the markers is escaped.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { FTS5.markedSnippet($0.body, tokenCount: 8) }
    /// for excerpt in try request.asRequest(of: FTS5MarkedSnippet.self).fetchAll(db) {
    ///     print(FTS5.html(excerpt))   // …is a book about <mark>SQLite</mark> &amp; other…
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - snippet: The snippet.
    ///   - ellipsis: The text to insert where text is omitted. It is escaped.
    ///   - open: The HTML to insert before a match. It isn't escaped.
    ///   - close: The HTML to insert after a match. It isn't escaped.
    public static func html(
        _ snippet: FTS5MarkedSnippet, ellipsis: String = "…", from open: String = "<mark>", to close: String = "</mark>"
    ) -> String {
        html(snippet.joined(ellipsis: ellipsis), from: open, to: close)
    }

    /// Returns a document in HTML with markers around its matches. The markers don't cross tags:
    /// `<b><mark>no</mark></b><mark>ir</mark>`.
    ///
    /// ```swift
    /// let request = Document.matching("noir").select { FTS5.markedText($0.body) }
    /// for page in try request.asRequest(of: FTS5MarkedText.self).fetchAll(db) {
    ///     print(FTS5.html(inTrustedHTML: page))   // <p>Un caf&eacute; <b><mark>no</mark></b><mark>ir</mark></p>
    /// }
    /// ```
    ///
    /// - Important: The result contains the tags and scripts of the document. Only show documents that you trust. For
    ///   other documents, call ``html(_:from:to:)`` with ``FTS5MarkedText/strippingHTML()``.
    ///
    /// - Parameters:
    ///   - text: The document, of a table with the tokenizer ``FTS5TokenizerModule/html(named:)``.
    ///   - open: The HTML to insert before a match, or a part of it.
    ///   - close: The HTML to insert after a match, or a part of it.
    public static func html(
        inTrustedHTML text: FTS5MarkedText, from open: String = "<mark>", to close: String = "</mark>"
    ) -> String {
        text.htmlWithMarkers(open, close)
    }
}

extension String {
    /// Unicode scalars are escaped, not characters: a `<` with a combining mark is a different character, but begins a
    /// tag.
    fileprivate mutating func append(escaping text: some StringProtocol) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": self += "&amp;"
            case "<": self += "&lt;"
            case ">": self += "&gt;"
            case "\"": self += "&quot;"
            case "'": self += "&#39;"
            default: unicodeScalars.append(scalar)
            }
        }
    }
}
