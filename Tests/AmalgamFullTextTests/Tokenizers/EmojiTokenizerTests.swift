import Amalgam
import AmalgamCore
import TestSupport
import Testing

@Suite("Emoji")
struct EmojiTokenizerTests: TokenizerModuleTests {
    let module = FTS5TokenizerModule.emoji()

    @Test("an emoji is a token")
    func tokens() throws {
        expectEqual(try tokens("Pizza🍕 👍🏽 👩‍💻!"), ["pizza", "🍕", "👍🏽", "|👍", "👩‍💻"])
        expectEqual(try tokens("👍🏽", for: .query), ["👍🏽"])
        expectEqual(try tokens("👩🏽‍💻👩‍💻"), ["👩🏽‍💻", "|👩‍💻", "👩‍💻"])
        // Flags and keycaps
        expectEqual(try tokens("🇫🇷🇩🇪 21\u{FE0F}\u{20E3} #\u{20E3}"), ["🇫🇷", "🇩🇪", "2", "1\u{20E3}", "#\u{20E3}"])
        expectEqual(try tokens("🏴󠁧󠁢󠁳󠁣󠁴󠁿"), ["🏴󠁧󠁢󠁳󠁣󠁴󠁿"])
        // Variation selectors are ignored. A symbol that is usually text needs one.
        expectEqual(try tokens("❤\u{FE0F} ❤ ☀\u{FE0E}"), ["❤", "❤", "☀"])
        expectEqual(try tokens("SQLite™ © ©\u{FE0F} a ↔ b 10#"), ["sqlite", "©", "a", "b", "10"])
        // A skin tone alone, and sequences that aren't complete
        expectEqual(try tokens("🏽"), ["🏽"])
        expectEqual(try tokens("👍\u{200D} x"), ["👍", "x"])
        expectEqual(try tokens("🇫 1\u{FE0F}"), ["🇫", "1"])
    }

    @Test("a search for an emoji")
    func searches() throws {
        try withTexts(["I ❤️ pizza 🍕", "thumbs 👍🏿 up", "👍", "👍🏽 pizza", "family 👨‍👩‍👧"]) { db in
            expectEqual(try db.rowIDs(of: "🍕"), [1])
            expectEqual(try db.rowIDs(of: "👍"), [2, 3, 4])
            expectEqual(try db.rowIDs(of: "👍🏿"), [2])
            expectEqual(try db.rowIDs(of: "❤"), [1])
            expectEqual(try db.rowIDs(of: "❤️"), [1])
            expectEqual(try db.rowIDs(of: "I ❤️ pizza"), [1])
            expectEqual(try db.rowIDs(of: "👨‍👩‍👧"), [5])
            expectEqual(try db.rowIDs(searchBox: "pizza 👍"), [4])
            expectEqual(try db.rowIDs(searchBox: "pizza -🍕"), [4])
            expectEqual(try db.rowIDs(searchBox: "piz 👍", syntax: SearchBoxSyntax(matchesPrefixOfLastWord: true)), [])
            expectEqual(try db.rowIDs(matching: #"pizza AND ("🍕" OR "👍")"#), [1, 4])
            let request = Document.matching("👍").order(Column.rowID)
                .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
            expectEqual(
                try request.fetchAll(db).map { text in text.ranges.map { String(text.text[$0]) } },
                [["👍🏿"], ["👍"], ["👍🏽"]])
        }
    }

    @Test("the table has all emoji of Unicode, and no letter, digit or punctuation")
    func table() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            // The wrapped tokenizer has no token for less than three characters.
            let tokenizer = try db.makeTokenizer(module.descriptor(wrapping: .trigram()))
            func tokens(_ text: String) throws -> [String] { try tokenizer.tokenize(document: text).map(\.token) }
            for scalar in (0xA0...0x1FFFF).compactMap(Unicode.Scalar.init) {
                let (properties, text) = (scalar.properties, String(scalar))
                let hex = String(scalar.value, radix: 16)
                let (alone, selected) = (try tokens(text), try tokens(text + "\u{FE0F}"))
                if properties.isEmojiPresentation { #expect(alone == [text], "\(hex)") }
                if properties.isEmoji { #expect(selected == [text], "\(hex)") }
                if alone.isEmpty { continue }
                let categories: [Unicode.GeneralCategory] = [.otherSymbol, .modifierSymbol, .mathSymbol, .unassigned]
                #expect(categories.contains(properties.generalCategory), "\(hex)")
            }
        }
    }

    @Test("offsets are those of the emoji, in random text")
    func randomText() throws {
        let pieces = [
            "🍕", "👍", "🏽", "\u{200D}", "\u{FE0F}", "🇫", "🇷", "1", "\u{20E3}", "a", " ", "❤", "©", "東", "👩", "💻",
            "\u{E0067}",
        ]
        var random = RandomDocuments(seed: 8)
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            let tokenizer = try db.makeTokenizer(module.descriptor())
            for _ in 0..<2_000 {
                let text = random.document(of: pieces, count: 1...12)
                let document = try tokenizer.tokens(of: text, for: .document)
                let query = try tokenizer.tokens(of: text, for: .query)
                #expect(document.filter { !$0.flags.contains(.colocated) }.map(\.text) == query.map(\.text))
                for token in query {
                    let scalars = text[token.range].unicodeScalars.filter { $0.value != 0xFE0F }
                    let isInRange = Array(scalars).firstRange(of: Array(token.text.unicodeScalars)) != nil
                    #expect(isInRange, "\(token.text) in \(text.debugDescription)")
                }
            }
        }
    }
}
