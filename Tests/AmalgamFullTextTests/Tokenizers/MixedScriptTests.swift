import Amalgam
import TestSupport
import Testing

@Suite("Chinese, Japanese and Korean next to other letters and digits")
struct MixedScriptTests: TokenizerModuleTests {
    let module = FTS5TokenizerModule.cjkBigrams()

    @Test(
        "a document finds itself, and so do its parts",
        arguments: [
            ("東京2020オリンピック", ["東京2020", "2020オリンピック", "東京2020オリンピック", "東京", "2020", "京2020", "2020オ"]),
            ("入門AWS", ["入門AWS", "入門", "AWS", "門AWS"]), ("AWS入門", ["AWS入門", "入門", "AWS入"]),
            ("京都 Tower", ["京都 Tower", "京都Tower", "都 tower"]), ("東京、大阪", ["東京、大阪", "東京 大阪", "京、大"]),
            ("iPhoneの使い方2版", ["iPhoneの使い方2版", "の使い方2版", "方2版", "iPhoneの"]),
            ("2020年5月", ["2020年5月", "年5月", "2020年", "年"]),
            ("か\u{3099}くA", ["か\u{3099}くA", "くA", "か\u{3099}く"]), ("한국어 ABC 한국", ["한국어 ABC 한국", "어 ABC 한", "국어ABC"]),
        ])
    func parts(text: String, parts: [String]) throws {
        try withTexts([text, "まったく別の文書 other 99"]) { db in
            for part in parts {
                expectEqual(try db.rowIDs(of: FTS5Query(part)), [1], "\(part)")
                expectEqual(try db.rowIDs(searchBox: "\"\(part)\""), [1], "\(part)")
            }
        }
    }

    @Test("what is in another order isn't found")
    func order() throws {
        try withTexts(["東京2020", "東京都2020", "2020東京", "東 京2020"]) { db in
            expectEqual(try db.rowIDs(of: FTS5Query("東京2020")), [1])
            expectEqual(try db.rowIDs(of: FTS5Query("都2020")), [2])
            expectEqual(try db.rowIDs(of: FTS5Query("2020東")), [3])
            // Spaces and punctuation are ignored, as in other phrases.
            expectEqual(try db.rowIDs(of: FTS5Query("東 京2020")), [1, 4])
        }
    }

    @Test("a query that is being typed finds the document at each letter")
    func typing() throws {
        let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
        let text = "東京2020オリンピックTokyo大会"
        try withTexts([text, "x"]) { db in
            for count in 1...text.count {
                expectEqual(try db.rowIDs(searchBox: String(text.prefix(count)), syntax: syntax), [1], "\(count)")
            }
            expectEqual(try db.rowIDs(searchBox: "東京2*"), [1])
            expectEqual(try db.rowIDs(searchBox: "京2*"), [1])
            expectEqual(try db.rowIDs(searchBox: "東京3*"), [])
        }
    }

    @Test("a phrase that is put together finds what the whole phrase finds")
    func sums() throws {
        try withTexts(["東京2020年", "東京 x 2020年"]) { db in
            expectEqual(try db.rowIDs(of: .phrase("東京" + "2020" + "年")), [1])
            expectEqual(try db.rowIDs(of: .phrase("東京" + .prefix("20"))), [1])
            expectEqual(try db.rowIDs(of: .near("京" + "2020", "年", distance: 0)), [1])
        }
    }

    @Test("highlights are the words that were typed")
    func highlights() throws {
        try withTexts(["x 東京2020年 y 東京都"]) { db in
            func marked(_ query: FTS5Query) throws -> [String] {
                let request = Document.matching(query)
                    .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
                let marked = try #require(try request.fetchOne(db))
                return marked.marks.map { String(marked.text[$0.range]) }
            }
            expectEqual(try marked("東京2020"), ["東京2020"])
            expectEqual(try marked("京2020年"), ["京2020年"])
            expectEqual(try marked("東京"), ["東京", "東京"])
            expectEqual(try marked("京"), ["京", "京"])
            expectEqual(try marked("年"), ["年"])
        }
    }

    @Test("each part of a random document finds the document")
    func randomDocuments() throws {
        let pieces = [
            "東", "京", "都", "か\u{3099}", "한", "국", "ｶﾞ", "𠀀", "A", "b", "cde", "2020", "7", " ", " ", "、", "-", "é", "🎉",
        ]
        try expectPartsFindDocuments(of: pieces, seed: 11)
    }

    @Test("all writing systems at once, with emoji")
    func multilingual() throws {
        let module = FTS5TokenizerModule.multilingual()
        let text = "東京Towerกินข้าว🍕ภาษา한국2020🗼ខ្មែរ"
        let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
        try withDocuments([text, "else"], tokenizer: module.descriptor(), modules: [module]) { db in
            for part in ["東京tower", "towerกิน", "ข้าว🍕", "🍕ภาษา", "ภาษา한국", "한국2020🗼", "🗼ខ្មែរ", "กินข้าว", "京t*"] {
                expectEqual(try db.rowIDs(searchBox: part), [1], "\(part)")
            }
            for count in 1...text.count {
                expectEqual(try db.rowIDs(searchBox: String(text.prefix(count)), syntax: syntax), [1], "\(count)")
            }
            expectEqual(try db.rowIDs(searchBox: "東京🍕"), [])
        }
    }

    @Test("tokenizers of writing systems wrap each other in any order", arguments: 0..<6)
    func wrapping(order: Int) throws {
        let all: [FTS5TokenizerModule] = [.cjkBigrams(), .southEastAsianPairs(), .emoji()]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        let modules = orders[order].map { all[$0] }
        let descriptor = modules.reversed().reduce(FTS5TokenizerDescriptor.unicode61()) { $1.descriptor(wrapping: $0) }
        let pieces = ["東", "京", "กิ", "น", "🍕", "👍🏽", "abc", "2", " ", "-", "ខ្មែ"]
        var random = RandomDocuments(seed: 30)
        let texts = (0..<80).map { _ in random.document(of: pieces, count: 1...12) }
        try withDocuments(texts, tokenizer: descriptor, modules: modules) { db in
            _ = try db.expectPartsFindDocuments(texts, descriptor, tokenCount: 6)
        }
    }
}
