import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Stems of Snowball")
struct SnowballTests {
    private func stems(
        _ text: String, _ descriptor: FTS5TokenizerDescriptor, for tokenization: FTS5Tokenization = .document,
        locale: String? = nil
    ) throws -> [String] {
        try DatabaseQueue().write { db in
            try db.makeTokenizer(descriptor).tokens(of: text, for: tokenization, locale: locale).map(\.text)
        }
    }

    /// Words and their stems by the Python package snowballstemmer 2.2.0. `scripts/proof/stems` compares all words of
    /// Debian's word lists.
    private static let samples: [(SnowballLanguage, String, String)] = [
        (.arabic, "المدرسة", "مدرس"),
        (.armenian, "մարդկանց", "մարդկ"),
        (.basque, "etxeetan", "etxe"),
        (.catalan, "nacionalitats", "nacional"),
        (.danish, "husene", "hus"),
        (.dutch, "mogelijkheden", "mogelijk"),
        (.english, "generously", "generous"),
        (.finnish, "taloissamme", "talo"),
        (.french, "nationalités", "national"),
        (.german, "häuser", "haus"),
        (.greek, "ανθρωπων", "ανθρωπ"),
        (.hindi, "लड़कियाँ", "लड़क"),
        (.hungarian, "házakban", "ház"),
        (.indonesian, "pembangunan", "bangun"),
        (.irish, "bhfirinne", "firinne"),
        (.italian, "nazionalità", "nazional"),
        (.lithuanian, "namuose", "nam"),
        (.norwegian, "virksomhetene", "virksom"),
        (.nepali, "केटाहरूले", "केटा"),
        (.portuguese, "nacionalidades", "nacional"),
        (.romanian, "naționalitate", "național"),
        (.russian, "национальности", "национальн"),
        (.serbian, "људима", "ljud"),
        (.spanish, "nacionalidades", "nacional"),
        (.swedish, "möjligheterna", "möj"),
        (.tamil, "வீடுகளில்", "வீடு"),
        (.turkish, "evlerimizden", "ev"),
        (.yiddish, "הײַזער", "הײז"),
    ]

    @Test("words have the stems of Snowball")
    func wordsHaveTheStemsOfSnowball() throws {
        for (language, word, stem) in Self.samples {
            let tokenizer = FTS5TokenizerDescriptor.snowball(language: language, diacritics: .keep)
            expectEqual(try stems(word, tokenizer), [stem], "\(language.rawValue)")
        }
    }

    @Test("a word that its stemmer can't handle has no stem")
    func wordWithoutStem() throws {
        let tokenizer = FTS5TokenizerDescriptor.snowball(language: .greek)
        expectEqual(try stems("ισαισα και ισαισα φιλοσοφίες", tokenizer), ["ισαισα", "κα", "ισαισα", "φιλοσοφι"])
    }

    @Test("the build has stemmers of 28 languages, and stop words of 22")
    func languages() {
        #expect(SnowballLanguage.snowballVersion == "2.2.0")
        let languages = SnowballLanguage.all
        #expect(languages.count == 28)
        #expect(languages.map(\.rawValue) == languages.map(\.rawValue).sorted())
        for (language, _, _) in Self.samples { #expect(languages.contains(language)) }
        let without = languages.filter(\.stopWords.isEmpty)
        #expect(without == [.armenian, .basque, .nepali, .serbian, .tamil, .yiddish])
        #expect(SnowballLanguage.english.stopWords.contains("the"))
        #expect(SnowballLanguage(rawValue: "klingon").stopWords.isEmpty)
    }

    @Test("a locale tells the language by a name or a code of ISO 639")
    func locales() {
        let locales: [String: SnowballLanguage?] = [
            "de": .german, "de_AT": .german, "deu-CH": .german, "GERMAN": .german, "nb_NO": .norwegian,
            "nn": .norwegian, "pt-BR": .portuguese, "ja": nil, "": nil, "_": nil, "d": nil, "de.UTF-8": nil,
            "englishenglishenglish": nil, "en\u{0}": nil, "déu": nil,
        ]
        for (locale, language) in locales { #expect(SnowballLanguage(locale: locale) == language, "\(locale)") }
    }

    @Test("descriptors record the version of the stemmers")
    func descriptors() {
        #expect(FTS5TokenizerDescriptor.snowball(language: .english).components == ["snowball", "english", "2.2.0"])
        let descriptor = FTS5TokenizerDescriptor.snowball(
            languages: [.english, .french], stopWords: true, diacritics: .keep, wrapping: .ascii())
        #expect(
            descriptor.components
                == ["snowball", "english", "french", "2.2.0", "stop_words", "1", "remove_diacritics", "0", "ascii"])
    }

    @Test("diacritics are removed from stems, not from words")
    func diacritics() throws {
        // Without its accent, the stem of the participle would be "mange".
        expectEqual(try stems("mangés élèves", .snowball(language: .french)), ["mang", "elev"])
        expectEqual(try stems("mangés élèves", .snowball(language: .french, diacritics: .keep)), ["mang", "élev"])
        expectEqual(try stems("cafe\u{301}", .snowball(language: .english)), ["cafe"])
    }

    @Test("stop words are omitted, but not at the end of a prefix query")
    func stopWords() throws {
        let tokenizer = FTS5TokenizerDescriptor.snowball(language: .english, stopWords: true)
        expectEqual(try stems("The theory of THE firms", tokenizer), ["theori", "firm"])
        expectEqual(try stems("the theory of", tokenizer, for: .query), ["theori"])
        expectEqual(try stems("the theory of", tokenizer, for: [.query, .prefix]), ["theori", "of"])
        // A base that changes words changes stop words in the same way.
        let plain = FTS5TokenizerDescriptor.snowball(
            language: .french, stopWords: true, wrapping: .unicode61(diacritics: .remove))
        expectEqual(try stems("où est la maison", plain), ["maison"])
    }

    @Test("a prefix is searched as it is, too")
    func prefixes() throws {
        let tokenizer = FTS5TokenizerDescriptor.snowball(language: .english)
        let found = try stems("running nationalities", tokenizer, for: [.query, .prefix])
        #expect(found == ["run", "nation", "nationalities"])
        expectEqual(try stems("run", tokenizer, for: [.query, .prefix]), ["run"])
    }

    @Test("a table is searched by stems, with marks on whole words")
    func tables() throws {
        try withLibrary(tokenizer: .snowball(language: .english, stopWords: true)) { db in
            expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM bookSearch('database of the whales')"), [])
            let highlights = "SELECT highlight(bookSearch, 1, '[', ']') FROM bookSearch"
            expectEqual(
                try String.fetchAll(db, sql: "\(highlights)('table database')"),
                ["SQLite is a [database], and [databases] hold [tables]"])
            expectEqual(
                try Int.fetchAll(db, sql: "SELECT rowid FROM bookSearch('\"the whaler of white whales\"')"), [1])
            try FTS5Index("bookSearch").checkIntegrity(db)
        }
    }

    @Test("text is stemmed by its locale, and queries by all languages")
    func severalLanguages() throws {
        let tokenizer = FTS5TokenizerDescriptor.snowball(languages: [.english, .french, .german], stopWords: true)
        let text = "die nationalities"
        expectEqual(try stems(text, tokenizer), ["die", "nation"])
        expectEqual(try stems(text, tokenizer, locale: "fr_CA"), ["di", "nationalit"])
        expectEqual(try stems(text, tokenizer, locale: "de"), ["nationaliti"])
        expectEqual(try stems(text, tokenizer, locale: "ja"), ["die", "nationalities"])
        expectEqual(
            try stems("nationalities", tokenizer, for: .query),
            ["nation", "nationalit", "nationaliti", "nationalities"])
        expectEqual(try stems("die", tokenizer, for: .query), [])
        expectEqual(try stems("die", tokenizer, for: .query, locale: "en"), ["die"])
        expectEqual(try stems("nationality", .snowball(language: .english), locale: "fr"), ["nation"])
    }

    @Test("bytes that aren't UTF-8 and long tokens don't stop the tokenizer")
    func strangeText() throws {
        try DatabaseQueue().write { db in
            for language in SnowballLanguage.all {
                try db.create(virtualTable: "strange", using: FTS5()) { t in
                    t.tokenizer = .snowball(language: language, stopWords: true, wrapping: .ascii())
                    t.column("x")
                }
                for index in 0..<6 {
                    let bytes: [UInt8] = (0..<200).map { UInt8(truncatingIfNeeded: ($0 &* 37 &+ index &* 91) | 0x80) }
                    try db.execute(
                        sql: "INSERT INTO strange VALUES (CAST(? AS TEXT))", arguments: [Data(bytes)])
                    try db.execute(
                        sql: "INSERT INTO strange VALUES (CAST(? AS TEXT))", arguments: [Data(bytes.prefix(20 + index))]
                    )
                }
                try db.execute(
                    sql: "INSERT INTO strange VALUES (?)", arguments: [String(repeating: "nationalités", count: 3000)])
                try FTS5Index("strange").checkIntegrity(db)
                try db.drop(table: "strange")
            }
        }
    }

    @Test("wrong arguments are refused with a reason")
    func wrongArguments() throws {
        let wrong: [([String], String)] = [
            (["snowball"], "needs languages, and then the version"),
            (["snowball", "english"], "needs languages, and then the version"),
            (["snowball", "klingon", "2.2.0"], "no stemmer for the language klingon"),
            (["snowball", "english", "2.2.0", "stop_words", "2"], "no stop_words=2"),
            (["snowball", "english", "2.2.0", "remove_diacritics", "yes"], "no remove_diacritics=yes"),
        ]
        try DatabaseQueue().write { db in
            for (components, reason) in wrong {
                let descriptor = FTS5TokenizerDescriptor(components: components)
                let unmade = expectCode(.SQLITE_ERROR) { try db.makeTokenizer(descriptor) }
                let uncreated = expectCode(.SQLITE_ERROR) {
                    try db.create(virtualTable: "wrong", using: FTS5()) { t in
                        t.tokenizer = descriptor
                        t.column("x")
                    }
                }
                for error in [unmade, uncreated] {
                    #expect(error?.message?.contains(reason) == true, "\(components)")
                }
            }
            expectCode(.SQLITE_ERROR) {
                try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["snowball", "english", "2.2.0", "nothing"]))
            }
            expectEqual(try db.tableExists("wrong"), false)
        }
    }

    @Test("a tokenizer of the application takes precedence over one of the same name")
    func sameName() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: FTS5TokenizerModule("snowball") { db, _ in try db.makeTokenizer(.ascii()) })
            try db.create(virtualTable: "own", using: FTS5()) { t in
                t.tokenizer = FTS5TokenizerDescriptor(components: ["snowball", "english"])
                t.column("x")
            }
            try db.execute(sql: "INSERT INTO own VALUES ('running')")
            expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM own('running')"), [1])
            expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM own('run')"), [])
            try FTS5Index("own").rebuild(db)
        }
    }
}
