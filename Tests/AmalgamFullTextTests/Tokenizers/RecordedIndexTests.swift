import Amalgam
import Foundation
import TestSupport
import Testing

/// An index that an earlier version of the tokenizers has created, which treated patterns of several scripts
/// differently: the two rows of `document_data` that contain all of it.
private struct RecordedIndex {
    let module: FTS5TokenizerModule
    let texts: [String]
    let structure: String
    let segment: String
}

@Suite("Indexes made by former versions")
struct RecordedIndexTests {
    private static let bigrams = RecordedIndex(
        module: .cjkBigrams(),
        texts: [
            "東京2020オリンピック", "入門AWS", "AWS入門", "京都 Tower", "東京、大阪 and 京都", "iPhoneの使い方2版", "か\u{3099}くA", "2020年5月",
        ],
        structure: "000000000101010001010101",
        segment:
            """
            000001FD0230300102020101310202020101320302020306010107020330323001060101040706010102010133040202\
            0101340502020101350602020206010104010136070202010137080202010161070601010402026E6405060101060202\
            77730206010104010601010201066970686F6E6506060101020105746F77657204060101040103E38184060601010504\
            03E696B9060601010503048BE3829907060101020703E3818F070601010203018F07060101030301AE06060101030403\
            E4BDBF0606010103020282AA01060101050403E383AA01060101050301AF010601010A0202838301060101090403E382\
            AF010601010903019401060101080403E3838301060101080301AA01060101060403E383B301060101060301B3010601\
            01070403E3839401060101070103E4BAAC010601010303060101020108010103060403E983BD04060101020106010107\
            0202BDBF06060101040403E3818406060101040103E585A5020601010201060101030403E99680020601010201060101\
            030202A4A705060101040403E998AA05060101040202B9B408060101030103E696B9060601010602029C880806010105\
            02029DB1010601010204060101020403E4BAAC010601010204060101020103E7898806060101080103E983BD04060101\
            0301060101080202968002060101030106010104020298AA05060101050406060B0F06060B060608090E0D0C0A0A0B0A\
            08080A090A08090A080A080A080A150F090A0F0F090A090A090E0F0A0F0E
            """)

    private static let identifiers = RecordedIndex(
        module: .identifiers(),
        texts: [
            "class URLSession2 {}", "iOS parse_HTTPHeader", "größeÄnderung größeMax", "_private __init__",
        ],
        structure: "000000000101010001010101",
        segment:
            """
            000000E50230300102020101310202020101320302020101330402020105636C6173730106010102010667726FC39F65\
            03060101030708616E646572756E67030601010207036D61780306010103010668656164657202060101060203747470\
            0206010105010169020601010202036E6974040601010302026F73020601010201036D6178030601010401026F730206\
            010103010570617273650206010104060A68747470686561646572020601010402067269766174650406010102010873\
            657373696F6E320106010104010375726C0106010103040873657373696F6E32010601010304060606060C0D0F0A0D0A\
            080A090A090C110D0F0A
            """)

    /// Runs a test on a database file with the recorded index, on a connection that has written nothing.
    private func withIndex(_ index: RecordedIndex, _ test: (Database) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "amalgam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "recorded.sqlite").path(percentEncoded: false)
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: index.module) }
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        try dbQueue.write { db in try write(index, db) }
        try dbQueue.close()
        try DatabaseQueue(path: path, configuration: configuration).write(test)
    }

    private func write(_ index: RecordedIndex, _ db: Database) throws {
        try db.create(virtualTable: "document", using: FTS5()) { t in
            t.tokenizer = index.module.descriptor()
            t.column("title")
            t.column("body")
        }
        for (number, text) in index.texts.enumerated() {
            try db.execute(sql: "INSERT INTO document VALUES (?, ?)", arguments: ["\(number)", text])
        }
        try FTS5Index("document").optimize(db)
        try db.execute(sql: "DELETE FROM document_data WHERE id >= 10")
        for (id, hex) in [(10, index.structure), (137_438_953_473, index.segment)] {
            try db.execute(sql: "INSERT INTO document_data VALUES (?, unhex(?))", arguments: [id, hex])
        }
        try db.execute(sql: "DELETE FROM document_idx; INSERT INTO document_idx VALUES (1, '', 2)")
    }

    @Test("documents still have the tokens of the index")
    func tokens() throws {
        for index in [Self.bigrams, Self.identifiers] {
            try withIndex(index) { db in try FTS5Index("document").checkIntegrity(db) }
        }
    }

    @Test("bigrams: the index finds what it found, and strings of several scripts")
    func bigrams() throws {
        try withIndex(Self.bigrams) { db in
            for (index, text) in Self.bigrams.texts.enumerated() {
                expectEqual(try db.rowIDs(of: FTS5Query(text)), [Int64(index + 1)], "\(text)")
            }
            expectEqual(try db.rowIDs(of: "東京2020"), [1])
            expectEqual(try db.rowIDs(of: "東京"), [1, 5])
            expectEqual(try db.rowIDs(of: "京"), [1, 4, 5])
            expectEqual(try db.rowIDs(of: "AWS入門"), [3])
            expectEqual(try db.rowIDs(searchBox: "東京2*"), [1])
            expectEqual(try db.rowIDs(searchBox: "京都 -大阪"), [4])
        }
    }

    @Test("identifiers: the index finds what it found")
    func identifiers() throws {
        try withIndex(Self.identifiers) { db in
            for (index, text) in Self.identifiers.texts.enumerated() {
                expectEqual(try db.rowIDs(of: FTS5Query(text)), [Int64(index + 1)], "\(text)")
            }
            for name in ["URLSession2", "urlsession2", "session2", "url_session2"] {
                expectEqual(try db.rowIDs(of: FTS5Query(name)), [1], "\(name)")
            }
            for name in ["größeÄnderung", "größeänderung", "max", "großemax"] {
                expectEqual(try db.rowIDs(of: FTS5Query(name)), [3], "\(name)")
            }
        }
    }
}
