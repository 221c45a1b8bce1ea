import Amalgam
import AmalgamCore
import TestSupport
import Testing

@testable import AmalgamFullText

@Suite("Thai, Lao, Khmer and Burmese")
struct SouthEastAsianPairsTests: TokenizerModuleTests {
    let module = FTS5TokenizerModule.southEastAsianPairs()

    @Test("pairs of letters with their marks")
    func pairs() throws {
        expectEqual(try tokens("กินข้าว ok"), ["กิน", "|กิ", "นข้", "|น", "ข้า", "|ข้", "าว", "|า", "ว", "ok"])
        expectEqual(try tokens("กินข้าว", for: .query), ["กิน", "นข้", "ข้า", "าว"])
        expectEqual(try tokens("กิน ok", for: .query), ["กิน", "น", "ok"])
        expectEqual(try tokens("น้ำ", for: .query), ["น้ำ"])
        // Digits belong to the wrapped tokenizer.
        expectEqual(try tokens("ปี๒๕๖๗", for: .query), ["ปี", "๒๕๖๗"])
        // Stacked consonants of Khmer and Burmese are one character.
        expectEqual(try tokens("ខ្មែរ", for: .query), ["ខ្មែរ"])
        expectEqual(try tokens("ခန္ဓာ", for: .query), ["ခန္ဓ", "န္ဓာ"])
        // Marks without a letter go to the wrapped tokenizer.
        expectEqual(try tokens("x\u{0E34}"), ["x"])
    }

    @Test(
        "words inside of sentences are found",
        arguments: [
            ("ฉันกินข้าวผัดที่กรุงเทพฯ", ["ข้าว", "ข้าวผัด", "กรุงเทพ", "กิน", "ฉัน", "ที่"], ["ขาว", "ผักที่"]),
            ("ຂ້ອຍມັກກິນເຂົ້າໜຽວ", ["ເຂົ້າ", "ກິນ", "ເຂົ້າໜຽວ"], ["ກີນ"]),
            ("ខ្ញុំស្រឡាញ់ភាសាខ្មែរ", ["ភាសា", "ខ្មែរ", "ភាសាខ្មែរ"], ["ភាសាថៃ"]),
            ("ကျွန်တော်မြန်မာစာသင်နေတယ်", ["မြန်မာ", "မြန်မာစာ", "စာသင်"], ["မြန်ရာ"]),
        ])
    func words(text: String, found: [String], others: [String]) throws {
        try withTexts([text, "a different text"]) { db in
            for word in found + [text] { expectEqual(try db.rowIDs(of: FTS5Query(word)), [1], "\(word)") }
            for word in others { expectEqual(try db.rowIDs(of: FTS5Query(word)), [], "\(word)") }
        }
    }

    @Test("a word next to Latin letters and digits, as it is typed")
    func typing() throws {
        let text = "ร้านกาแฟStarbucks24ชั่วโมง"
        let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
        try withTexts([text, "x"]) { db in
            for word in ["กาแฟstarbucks24", "Starbucks24ชั่วโมง", "แฟStarbucks24ชั่ว", "กาแฟ"] {
                expectEqual(try db.rowIDs(of: FTS5Query(word)), [1], "\(word)")
            }
            for count in 1...text.unicodeScalars.count {
                let typed = String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
                expectEqual(try db.rowIDs(searchBox: typed, syntax: syntax), [1], "\(typed)")
            }
        }
    }

    @Test("invisible separators of words are ignored, in documents and in patterns")
    func separators() throws {
        let (with, without) = ("ភាសា\u{200B}ខ្មែរ\u{200B} ok", "ភាសាខ្មែរ ok")
        try withTexts([with, without]) { db in
            for word in ["ភាសាខ្មែរ", "ភាសា\u{200B}ខ្មែរ", "សាខ្មែ", "ភា\u{2060}សា", "ភាសាខ្មែរ ok"] {
                expectEqual(try db.rowIDs(of: FTS5Query(word)), [1, 2], "\(word)")
            }
            let request = Document.matching(FTS5Query("សាខ្មែរ")).order(Column.rowID)
                .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
            expectEqual(
                try request.fetchAll(db).map { text in text.ranges.map { String(text.text[$0]) } },
                [["សា\u{200B}ខ្មែរ"], ["សាខ្មែរ"]])
        }
    }

    @Test("marks are the words that were typed")
    func marks() throws {
        try withTexts(["ฉันกินข้าวผัดแล้ว"]) { db in
            for word in ["ข้าวผัด", "กิน", "ข้"] {
                let request = Document.matching(FTS5Query(word))
                    .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
                let marked = try #require(try request.fetchOne(db))
                #expect(marked.ranges.map { String(marked.text[$0]) } == [word])
            }
        }
    }

    @Test("the table of code points agrees with Unicode's properties")
    func table() {
        let blocks: [ClosedRange<UInt32>] = [
            0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0xA9E0...0xA9FF, 0xAA60...0xAA7F,
        ]
        for scalar in blocks.joined().compactMap(Unicode.Scalar.init) {
            let kind = SouthEastAsianScript.kind(of: scalar.value)
            let (category, hex) = (scalar.properties.generalCategory, String(scalar.value, radix: 16))
            switch category {
            case .otherLetter, .modifierLetter: #expect(kind == .letter || kind == .mark, "\(hex)")
            case .nonspacingMark, .spacingMark: #expect(kind != .foreign && kind != .ignored, "\(hex)")
            case .unassigned: break
            default: #expect(kind == .foreign, "\(hex)")
            }
            // A mark belongs to the character before it.
            guard category != .unassigned, kind == .letter || kind == .mark else { continue }
            let character = "\u{0E01}" + String(scalar)
            #expect((character.count == 1) == (kind == .mark), "\(hex)")
        }
    }

    @Test("each part of a random document finds the document")
    func randomDocuments() throws {
        let pieces = [
            "ก", "กิ", "น้ำ", "เ", "ข้า", "ຂ້", "ອ", "ខ្មែ", "រ", "\u{17D2}", "မြ", "န်", "န္ဓ", "\u{200B}", " ", "a", "12", "๓",
            "ฯ", "฿", "東", ".",
        ]
        try expectPartsFindDocuments(of: pieces, seed: 21)
    }
}
