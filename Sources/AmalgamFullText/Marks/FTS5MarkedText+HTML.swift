extension FTS5MarkedText {
    /// Returns the visible text of a document in HTML, with the marks at their places in this text. Tags, comments,
    /// scripts and styles are removed, and character references are decoded.
    ///
    /// ```swift
    /// let request = Document.matching("noir").select { FTS5.markedText($0.body) }
    /// for page in try request.asRequest(of: FTS5MarkedText.self).fetchAll(db) {
    ///     page.text                           // <p>Un caf&eacute; <b>no</b>ir &lt; 10</p>
    ///     page.strippingHTML().text           // " Un café noir < 10 "
    ///     FTS5.html(page.strippingHTML())     // " Un café <mark>noir</mark> &lt; 10 "
    /// }
    /// ```
    ///
    /// This is the text that ``FTS5TokenizerModule/html(named:)`` indexes: tags that separate words become spaces.
    public func strippingHTML() -> FTS5MarkedText {
        Array(text.utf8).withUnsafeBytes { bytes in
            let plainText = PlainText(html: bytes)
            return FTS5MarkedText(bytes: plainText.bytes, byteMarks.compactMap { plainText.place($0) })
        }
    }

    /// The document with markers around the visible parts of its matches.
    ///
    /// The markers are inserted between bytes: a combining mark after a `>` forms one character with it, but a marker
    /// before this character would be inside of the tag.
    func htmlWithMarkers(_ open: String, _ close: String) -> String {
        Array(text.utf8).withUnsafeBytes { bytes in
            let plainText = PlainText(html: bytes)
            var html: [UInt8] = []
            var position = 0
            for range in FTS5MarkedText(text: text, marks: ranges.map { Mark(range: $0, phrase: 0) }).byteMarks
                .flatMap({ plainText.visibleRanges($0.start..<$0.end, of: bytes) })
            {
                html += bytes[position..<range.lowerBound]
                html += open.utf8
                html += bytes[range]
                html += close.utf8
                position = range.upperBound
            }
            html += bytes[position...]
            return String(decoding: html, as: UTF8.self)
        }
    }
}

extension FTS5MarkedSnippet {
    /// Returns the visible text of a document in HTML, as ``FTS5MarkedText/strippingHTML()``.
    ///
    /// ```swift
    /// let request = Document.matching("noir").select { FTS5.markedSnippet($0.body) }
    /// for excerpt in try request.asRequest(of: FTS5MarkedSnippet.self).fetchAll(db) {
    ///     print(FTS5.html(excerpt.strippingHTML()))   // … Un café <mark>noir</mark> &lt; 10 …
    /// }
    /// ```
    public func strippingHTML() -> FTS5MarkedSnippet {
        FTS5MarkedSnippet(
            pieces: pieces.map { $0.strippingHTML() }, column: column, omitsBeginning: omitsBeginning,
            omitsEnd: omitsEnd)
    }
}
