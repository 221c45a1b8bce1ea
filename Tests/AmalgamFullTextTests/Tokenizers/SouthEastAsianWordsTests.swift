import Amalgam
import AmalgamCore
import AmalgamEngine
import TestSupport
import Testing

@testable import AmalgamFullText

/// `scripts/proof/icu` runs the tests of an SQLite with ICU.
private let hasICU = SQLiteBuild.hasOption("ENABLE_ICU")

@Suite("Thai, Lao, Khmer and Burmese words")
struct SouthEastAsianWordsTests: TokenizerModuleTests {
    let module = FTS5TokenizerModule.southEastAsianWords()

    @Test("without ICU, no table can have the tokenizer", .disabled(if: hasICU))
    func withoutICU() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            let error = expectFailure(.SQLITE_ERROR) {
                try db.execute(sql: "CREATE VIRTUAL TABLE page USING fts5(body, tokenize = 'south_east_asian_words')")
            }
            #expect(error?.message?.contains("scripts/bootstrap --with ENABLE_ICU") == true, "\(error as Any)")
            expectEqual(try db.tableExists("page"), false)
        }
    }

    @Test("words of ICU's dictionaries, and the rest by the wrapped tokenizer", .enabled(if: hasICU))
    func tokens() throws {
        expectEqual(try tokens("กินข้าว ok"), ["กิน", "ข้าว", "ok"])
        expectEqual(try tokens("กินข้าว", for: .query), ["กิน", "ข้าว"])
        expectEqual(try tokens("ภาษาไทย ๒๕๖๗"), ["ภาษา", "ไทย", "๒๕๖๗"])
        expectEqual(try tokens("ភាសា\u{200B}ខ្មែរ"), ["ភាសា", "ខ្មែរ"])
        expectEqual(try tokens("x\u{0E34} y"), ["x", "y"])
    }

    @Test(
        "words inside of sentences are found, and parts of words aren't", .enabled(if: hasICU),
        arguments: [
            ("ฉันกินข้าวผัดที่กรุงเทพ", ["ข้าว", "กิน", "ฉัน", "ที่", "ฉันกิน"], ["าวผ", "ขาว"]),
            ("ຂ້ອຍມັກກິນເຂົ້າ", ["ຂ້ອຍ", "ກິນເຂົ້າ"], ["ກີນ"]),
            ("ខ្ញុំស្រឡាញ់ភាសាខ្មែរ", ["ស្រឡាញ់", "ភាសាខ្មែរ"], ["ភាសាថៃ"]),
            ("မြန်မာစာသင်နေတယ်", ["မြန်မာ", "စာသင်"], ["မြန်ရာ"]),
        ])
    func sentences(text: String, found: [String], others: [String]) throws {
        try withTexts([text, "a different text"]) { db in
            for word in found + [text] { expectEqual(try db.rowIDs(of: FTS5Query(word)), [1], "\(word)") }
            for word in others { expectEqual(try db.rowIDs(of: FTS5Query(word)), [], "\(word)") }
        }
    }

    @Test("marks are around words", .enabled(if: hasICU))
    func marks() throws {
        try withTexts(["ฉันกินข้าว"]) { db in
            let sql = "SELECT highlight(document, 1, '[', ']') FROM document WHERE document MATCH 'กิน'"
            expectEqual(try String.fetchAll(db, sql: sql), ["ฉัน[กิน]ข้าว"])
        }
    }
}
