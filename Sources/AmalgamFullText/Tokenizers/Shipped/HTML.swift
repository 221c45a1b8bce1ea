import AmalgamCore

extension FTS5TokenizerModule {
    /// Returns a tokenizer that indexes the visible text of HTML. Tags, comments, scripts and styles are omitted, and
    /// character references such as `&eacute;` are decoded.
    ///
    /// ```swift
    /// let html = FTS5TokenizerModule.html()
    /// // "<p>Un caf&eacute; <b>no</b>ir</p><script>x()</script>"   un cafe noir
    /// ```
    ///
    /// Inline tags, such as `<b>`, don't separate words. Other tags, such as `<p>`, do. Malformed HTML isn't an error.
    /// Patterns are plain text, not HTML.
    ///
    /// A match may contain tags. `highlight()` and `snippet()` insert their markers around the match, `<b>[no</b>ir]`,
    /// and `snippet()` may cut the text inside an element, so their results may be malformed HTML. To show results,
    /// select ``FTS5/markedText(_:)`` or ``FTS5/markedSnippet(_:tokenCount:pieceCount:)``. Call
    /// ``FTS5MarkedText/strippingHTML()`` for the visible text with its marks, or ``FTS5/html(inTrustedHTML:from:to:)``
    /// for the document with markers that don't cross tags.
    public static func html(named name: String = "html") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { HTMLTokenizer($0) }
    }
}

private final class HTMLTokenizer: MarkupTokenizer {
    override func plainText(of bytes: UnsafeRawBufferPointer) -> PlainText? {
        guard bytes.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return nil }
        return PlainText(html: bytes)
    }
}

extension PlainText {
    /// Extracts the visible text of HTML.
    init(html bytes: UnsafeRawBufferPointer) {
        var reader = HTMLReader(bytes)
        reader.read()
        self = reader.text
    }
}

/// Extracts the text of HTML, from left to right.
private struct HTMLReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private(set) var text: PlainText

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        text = PlainText(capacity: bytes.count)
    }

    mutating func read() {
        while position < bytes.count {
            let start = position
            position = end(from: start) { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
            text.append(start..<position, of: bytes)
            guard position < bytes.count else { return }
            if bytes[position] == UInt8(ascii: "<") { readTag() } else { readEntity() }
        }
    }

    /// The offset of the first matching byte, or of the end.
    private func end(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        var index = start
        while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
        return index
    }

    private func has(_ word: String, at start: Int) -> Bool {
        let word = word.utf8
        guard start + word.count <= bytes.count else { return false }
        return zip(bytes[start...], word).allSatisfy { $0.asciiLowercased == $1 }
    }

    /// The offset after the next occurrence of a word, or the end.
    private func end(of word: String, from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if has(word, at: index) { return index + word.utf8.count }
            index += 1
        }
        return index
    }

    // MARK: Tags

    private mutating func readTag() {
        let start = position
        let next = start + 1 < bytes.count ? bytes[start + 1] : 0
        switch next {
        case UInt8(ascii: "!") where has("<!--", at: start):
            position = end(of: "-->", from: start + 4)
        case UInt8(ascii: "!"), UInt8(ascii: "?"):
            position = end(of: ">", from: start)
        case UInt8(ascii: "/"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            readElement(from: start)
        default:
            position = start + 1
            text.append(start..<position, of: bytes)
        }
    }

    private mutating func readElement(from start: Int) {
        let isEnd = bytes[start + 1] == UInt8(ascii: "/")
        let nameStart = start + (isEnd ? 2 : 1)
        let nameEnd = end(from: nameStart) { !$0.isASCIILetter && !(0x30...0x39).contains($0) }
        let name = String(decoding: bytes[nameStart..<nameEnd].map(\.asciiLowercased), as: UTF8.self)
        position = endOfAttributes(from: nameEnd)
        if !isEnd && hiddenElements.contains(name) { skipElement(name) }
        if !inlineElements.contains(name) { text.appendSpace(for: start..<position) }
    }

    /// The end of a tag. A quoted attribute value may contain any character.
    private func endOfAttributes(from start: Int) -> Int {
        var quote: UInt8?
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return index
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
        }
        return index
    }

    private mutating func skipElement(_ name: String) {
        let contentEnd = end(of: "</" + name, from: position)
        position = end(of: ">", from: contentEnd)
    }

    // MARK: Entities

    private mutating func readEntity() {
        let start = position
        let nameEnd = end(from: start + 1) {
            !$0.isASCIILetter && !(0x30...0x39).contains($0) && $0 != UInt8(ascii: "#")
        }
        let name = String(decoding: bytes[start + 1..<Swift.min(nameEnd, start + 32)], as: UTF8.self)
        let isClosed = nameEnd < bytes.count && bytes[nameEnd] == UInt8(ascii: ";")
        guard let scalar = scalar(named: name, isClosed: isClosed) else {
            position = start + 1
            return text.append(start..<position, of: bytes)
        }
        position = isClosed ? nameEnd + 1 : nameEnd
        // A soft hyphen is a possible line break, and not part of the word.
        if scalar != "\u{AD}" { text.append(scalar, for: start..<position) }
    }

    private func scalar(named name: String, isClosed: Bool) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else {
            return isClosed || ["amp", "lt", "gt", "quot"].contains(name) ? htmlEntities[name] : nil
        }
        let number = name.dropFirst()
        let value = number.lowercased().hasPrefix("x") ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
        guard let value else { return nil }
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    fileprivate var isASCIILetter: Bool { (0x61...0x7A).contains(asciiLowercased) }
}

/// Elements without visible text.
private let hiddenElements: Set<String> = ["script", "style", "template", "noscript"]

/// Elements that don't separate words.
private let inlineElements: Set<String> = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
]

/// The named character references of HTML 4, and a few more:
/// <https://html.spec.whatwg.org/multipage/named-characters.html>.
private let htmlEntities: [String: Unicode.Scalar] = {
    var entities: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "OElig": "Œ", "oelig": "œ", "Scaron": "Š",
        "scaron": "š", "Yuml": "Ÿ", "fnof": "ƒ", "ensp": "\u{2002}", "emsp": "\u{2003}", "thinsp": "\u{2009}",
        "zwnj": "\u{200C}", "zwj": "\u{200D}", "ndash": "–", "mdash": "—", "lsquo": "‘", "rsquo": "’", "sbquo": "‚",
        "ldquo": "“", "rdquo": "”", "bdquo": "„", "dagger": "†", "Dagger": "‡", "bull": "•", "hellip": "…",
        "permil": "‰", "lsaquo": "‹", "rsaquo": "›", "euro": "€", "trade": "™", "minus": "−", "ne": "≠", "le": "≤",
        "ge": "≥", "infin": "∞", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓", "harr": "↔",
    ]
    let latin = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
        micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
        Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
        Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc \
        euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml \
        yacute thorn yuml
        """
    for (offset, name) in latin.split(separator: " ").enumerated() {
        entities[String(name)] = Unicode.Scalar(UInt32(0xA0 + offset))
    }
    // The names of Greek letters, in the order of their code points.
    let greek = """
        Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi \
        Chi Psi Omega
        """
    for (offset, name) in greek.split(separator: " ").enumerated() where name != "-" {
        entities[String(name)] = Unicode.Scalar(UInt32(0x391 + offset))
        entities[name.lowercased()] = Unicode.Scalar(UInt32(0x3B1 + offset))
    }
    return entities
}()
