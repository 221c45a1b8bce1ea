import Amalgam
import Foundation
import TestSupport
import Testing

@Suite("Recovery of virtual tables", hasRecovery)
struct VirtualTableRecoveryTests {
    private func state(_ report: RecoveryReport, _ name: String) -> RecoveryReport.VirtualTable.State? {
        report.virtualTables.first { $0.name == name }?.state
    }

    @Test("Full-text indexes are built from their content", arguments: ["fts5", "fts4", "fts3"])
    func fullText(module: String) throws {
        let database = try DamagedDatabase(
            """
            CREATE VIRTUAL TABLE note USING \(module) (title, text);
            INSERT INTO note (rowid, title, text) VALUES (3, 'first', 'a word'), (9, 'second', 'words and a word');
            """)
        let index = try database.rootPage(of: module == "fts5" ? "note_data" : "note_segdir")
        try database.overwrite(page: index, count: 4096, with: 0x11)
        let report = try database.recover()
        #expect(state(report, "note") == .rebuilt)
        #expect(report.virtualTables.map(\.module) == [module])
        #expect(report.virtualTables.first?.savedRowCount == 2)
        #expect(report.tables == [])
        #expect(report.missingObjects == [])
        #expect(
            try database.strings("SELECT title FROM note WHERE note MATCH 'word' ORDER BY rowid") == [
                "first", "second",
            ])
        #expect(try database.integer("SELECT rowid FROM note WHERE note MATCH 'words'") == 9)
    }

    @Test("An index of another table is built from that table", arguments: ["fts5", "fts4"])
    func externalContent(module: String) throws {
        let columns = module == "fts5" ? "text, content='note', content_rowid='id'" : "text, content=\"note\""
        let database = try DamagedDatabase(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
            CREATE VIRTUAL TABLE search USING \(module) (\(columns));
            CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
                INSERT INTO search (rowid, text) VALUES (new.id, new.text);
            END;
            INSERT INTO note VALUES (1, 'a word'), (2, 'nothing');
            """)
        let report = try database.recover()
        #expect(state(report, "search") == .rebuilt)
        #expect(report.virtualTables.first?.savedRowCount == nil)
        #expect(try database.integer("SELECT rowid FROM search WHERE search MATCH 'word'") == 1)
        try database.read { db in try db.execute(sql: "INSERT INTO note VALUES (3, 'another word')") }
        #expect(try database.strings("SELECT rowid FROM search WHERE search MATCH 'word'") == ["1", "3"])
    }

    @Test("The settings of a full-text table are kept")
    func settings() throws {
        let database = try DamagedDatabase(
            """
            CREATE VIRTUAL TABLE note USING fts5 (text, tokenize = 'porter', prefix = '2');
            INSERT INTO note (note, rank) VALUES ('rank', 'bm25(5.0)');
            INSERT INTO note VALUES ('running');
            """)
        #expect(state(try database.recover(), "note") == .rebuilt)
        #expect(try database.strings("SELECT v FROM note_config WHERE k = 'rank'") == ["bm25(5.0)"])
        #expect(try database.integer("SELECT rowid FROM note WHERE note MATCH 'run'") == 1)
    }

    @Test("An index that stores no content is saved as it is found")
    func contentless() throws {
        let database = try DamagedDatabase(
            """
            CREATE VIRTUAL TABLE note USING fts5 (text, content='');
            INSERT INTO note (rowid, text) VALUES (4, 'a word');
            """)
        #expect(state(try database.recover(), "note") == .kept)
        #expect(try database.integer("SELECT rowid FROM note WHERE note MATCH 'word'") == 4)
        try FileManager.default.removeItem(atPath: database.newPath)
        let page = try database.rootPage(of: "note_data")
        try database.overwrite(page: page, count: 4096, with: 0x11)
        let report = try DatabaseRecovery(of: database.path).recover(into: database.newPath)
        guard case .damaged = state(report, "note") else {
            Issue.record("\(report)")
            return
        }
    }

    @Test("An index of FTS4 that stores no content is saved, though it has no check")
    func contentlessFTS4() throws {
        let database = try DamagedDatabase(
            """
            CREATE VIRTUAL TABLE note USING fts4 (text, content='');
            INSERT INTO note (docid, text) VALUES (4, 'a word');
            """)
        let report = try DatabaseRecovery(of: database.path).recover(into: database.newPath)
        #expect(state(report, "note") == .kept)
        #expect(try database.read { db in try db.integrityReport().isIntact })
        #expect(try database.integer("SELECT docid FROM note WHERE note MATCH 'word'") == 4)
    }

    @Test("A damaged entry of an R*Tree costs no other entry")
    func damagedEntry() throws {
        let database = try DamagedDatabase(
            """
            CREATE VIRTUAL TABLE place USING rtree_i32 (id, x0, x1);
            INSERT INTO place VALUES (1, 10, 20), (2, 30, 40), (3, 50, 60);
            """)
        let queue = try DatabaseQueue(path: database.path)
        try queue.write { db in
            // The minimum of the second entry is above its maximum. A cell has 16 bytes, behind a header of four.
            try db.execute(
                sql: """
                    UPDATE place_node SET data = substr(data, 1, 28) || x'00000063' || substr(data, 33) WHERE nodeno = 1
                    """)
        }
        try queue.close()
        #expect(state(try database.recover(), "place") == .rebuilt)
        #expect(try database.strings("SELECT id || ' ' || x0 FROM place ORDER BY id") == ["1 10", "3 50"])
    }

    @Test("A table whose module or tokenizer is missing stays in the schema")
    func unavailable() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: LetterTokenizer.self) }
        let database = try DamagedDatabase(configuration: configuration) { db in
            try db.create(virtualTable: "note", using: FTS5()) { table in
                table.tokenizer = LetterTokenizer.tokenizerDescriptor()
                table.column("text")
            }
            try db.execute(sql: "INSERT INTO note VALUES ('a word')")
        }
        let report = try DatabaseRecovery(of: database.path).recover(into: database.newPath)
        guard case .unavailable(let message) = state(report, "note") else {
            Issue.record("\(report)")
            return
        }
        #expect(message.contains("tokenizer"))
        #expect(try database.integer("SELECT rowid FROM note WHERE note MATCH 'w'") == 1)
    }

    @Test("An R*Tree is built from the leaves that are left", arguments: ["rtree", "rtree_i32"])
    func rtree(module: String) throws {
        let database = try DamagedDatabase(
            """
            CREATE VIRTUAL TABLE place USING \(module) (id, x0, x1, y0, y1, +name TEXT);
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
            INSERT INTO place SELECT n, n, n + 1, -n, 2 * n, 'place ' || n FROM number;
            """)
        #expect(state(try database.recover(), "place") == .kept)
        #expect(try database.integer("SELECT COUNT(*) FROM place WHERE x0 >= 500") == 501)
        try FileManager.default.removeItem(atPath: database.newPath)
        let queue = try DatabaseQueue(path: database.path)
        try queue.write { db in
            // The root, and a leaf.
            try db.execute(sql: "DELETE FROM place_node WHERE nodeno IN (1, (SELECT max(nodeno) FROM place_node))")
        }
        try queue.close()
        let report = try database.recover()
        #expect(state(report, "place") == .rebuilt)
        let count = try database.integer("SELECT COUNT(*) FROM place") ?? 0
        #expect((800..<1000).contains(count))
        let isRight = "x0 = id AND x1 = id + 1 AND y0 = -id AND y1 = 2 * id AND name = 'place ' || id"
        #expect(try database.integer("SELECT COUNT(*) FROM place WHERE \(isRight)") == count)
        #expect(try database.strings("SELECT rtreecheck('place')") == ["ok"])
    }

    @Test("Tables of terms are kept")
    func vocabulary() throws {
        let database = try DamagedDatabase(
            """
            CREATE VIRTUAL TABLE note USING fts5 (text); INSERT INTO note VALUES ('a word');
            CREATE VIRTUAL TABLE term USING fts5vocab (note, row);
            """)
        let report = try database.recover()
        #expect(state(report, "term") == .kept)
        #expect(try database.strings("SELECT term FROM term") == ["a", "word"])
    }
}

/// Each character of ASCII is a token.
private final class LetterTokenizer: FTS5CustomTokenizer {
    static let name = "letters"

    init(db: Database, arguments: [String]) {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        for offset in 0..<nText {
            let code = tokenCallback(context, 0, pText! + Int(offset), 1, offset, offset + 1)
            if code != 0 { return code }
        }
        return 0
    }
}
