import Amalgam
import AmalgamCore
import CAmalgam
import Foundation

/// A file with tables of every kind, made from a seed.
///
/// An encrypted sample has a twin in clear text, with the same pages: SQLite's own shell can't decrypt, so the script damages the
/// pages of the twin that belong to the damaged bytes.
struct Sample {
    private let name: String
    private let pageSize: Int
    private let encoding: String
    private let isWAL: Bool
    private let isEncrypted: Bool
    private let seed: UInt64

    private static let passphrase = "secret"
    private static let pageSizes = [512, 1024, 4096, 4096, 8192, 65536]
    private static let encodings = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"]
    /// The bytes that SQLCipher reserves on each page.
    private static let reservedByteCount: CInt = 80

    static func makeAll(in folder: URL, count: Int, seed: UInt64) throws {
        for number in 0..<count {
            let isEncrypted = SQLiteBuild.cipher != nil && number % 5 == 4
            let sample = Sample(
                name: String(format: "%03d", number),
                pageSize: isEncrypted ? 4096 : pageSizes[number % pageSizes.count],
                encoding: encodings[number / 2 % encodings.count], isWAL: number % 3 == 1, isEncrypted: isEncrypted,
                seed: seed &+ UInt64(number))
            try sample.make(in: folder)
        }
    }

    static func keyed(_ passphrase: String) throws -> Configuration {
        var configuration = Configuration()
        #if Encryption
        configuration.prepareDatabase { db in try db.usePassphrase(passphrase) }
        #else
        throw DatabaseError(message: "This program is built without the trait Encryption.")
        #endif
        return configuration
    }

    private func make(in folder: URL) throws {
        let path = folder.appendingPathComponent(name).path
        guard isEncrypted else { return try write(to: path + ".sqlite", Configuration()) }
        try write(to: path + ".encrypted", Self.keyed(Self.passphrase))
        var twin = Configuration()
        twin.prepareDatabase { db in
            var count = Self.reservedByteCount
            let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
            if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        try write(to: path + ".twin", twin)
    }

    private func write(to path: String, _ configuration: Configuration) throws {
        var configuration = configuration
        configuration.prepareDatabase { [pageSize, encoding] db in
            if pageSize != 4096 { try db.execute(sql: "PRAGMA page_size = \(pageSize)") }
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'")
        }
        if isWAL { configuration.journalMode = .wal }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            var random = SampleNumbers(state: seed)
            try db.execute(sql: Self.schema)
            try db.inTransaction {
                for number in 0..<400 { try Self.insert(number, db, &random) }
                return .commit
            }
            if isWAL {
                _ = try db.checkpoint(.truncate)
                // The second half of the rows is in the WAL file only.
                db.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
                try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            }
            try db.inTransaction {
                for number in 400..<800 { try Self.insert(number, db, &random) }
                return .commit
            }
            try db.execute(
                sql: """
                    DELETE FROM keyed WHERE id % 7 = 0; UPDATE keyless SET a = a || '!' WHERE rowid % 11 = 0; ANALYZE
                    """)
        }
        try queue.close()
        try? FileManager.default.removeItem(atPath: path + "-shm")
    }

    private static let schema = """
        CREATE TABLE keyed (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b);
        CREATE INDEX keyed_a ON keyed (a); CREATE INDEX keyed_part ON keyed (b) WHERE b NOT NULL;
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE);
        CREATE TABLE keyless (a, b, c DEFAULT 5);
        CREATE TABLE composite (a, b, c, PRIMARY KEY (c, a)) WITHOUT ROWID;
        CREATE TABLE named (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
        CREATE TABLE strict (id INTEGER PRIMARY KEY, i INTEGER, r REAL, t TEXT NOT NULL, CHECK (i >= 0)) STRICT;
        CREATE TABLE folded (name TEXT COLLATE NOCASE PRIMARY KEY, json TEXT) WITHOUT ROWID;
        CREATE TABLE nullable (a TEXT PRIMARY KEY, b, UNIQUE (b, a) ON CONFLICT IGNORE);
        CREATE TABLE generated (a INTEGER, b TEXT, twice AS (a * 2), loud AS (b || '!') STORED);
        CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent (id) ON DELETE CASCADE, json BLOB);
        CREATE VIEW best AS SELECT * FROM keyed ORDER BY b;
        CREATE TRIGGER child_added AFTER INSERT ON child BEGIN
            UPDATE parent SET name = name || '.' WHERE id = new.parent;
        END;
        CREATE VIRTUAL TABLE note USING fts5 (title, text);
        CREATE VIRTUAL TABLE search USING fts5 (a, content = 'keyed', content_rowid = 'id');
        CREATE VIRTUAL TABLE bare USING fts5 (text, content = '');
        CREATE VIRTUAL TABLE old USING fts4 (text);
        CREATE VIRTUAL TABLE place USING rtree (id, x0, x1);
        """

    private static func insert(_ number: Int, _ db: Database, _ random: inout SampleNumbers) throws {
        let text = random.text()
        let values: [(any DatabaseValueConvertible)?] = [nil, number, Double(number) / 3, text, Data(text.utf8)]
        let value = values[random.next(below: values.count)]
        func run(_ sql: String, _ arguments: StatementArguments) throws {
            try db.execute(sql: sql, arguments: arguments)
        }
        try run("INSERT INTO keyed VALUES (?, ?, ?)", [number, text, value])
        try run("INSERT INTO counted (a) VALUES (?)", ["\(number) \(text.prefix(20))"])
        try run("INSERT INTO keyless (a, b) VALUES (?, ?)", [value, text])
        try run("INSERT INTO composite VALUES (?, ?, ?)", [number, value, text.prefix(30).description])
        try run("INSERT INTO named VALUES (?, ?)", ["name \(number)", value])
        try run("INSERT INTO strict VALUES (?, ?, ?, ?)", [number, number * 7, Double(number) / 7, text])
        try run("INSERT INTO folded VALUES (?, ?)", ["Name \(number)", "{\"n\":\(number),\"t\":\"x\"}"])
        try run("INSERT INTO nullable VALUES (?, ?)", [number % 3 == 0 ? nil : "key \(number)", value])
        try run("INSERT INTO generated (a, b) VALUES (?, ?)", [number, text])
        try run("INSERT INTO parent VALUES (?, ?)", [number, "parent \(number)"])
        try run("INSERT INTO child VALUES (?, ?, jsonb(?))", [number, number, "{\"n\":\(number),\"a\":[1,2,3]}"])
        try run("INSERT INTO note VALUES (?, ?)", ["title \(number)", text])
        try run("INSERT INTO search (rowid, a) VALUES (?, ?)", [number, text])
        try run("INSERT INTO bare (rowid, text) VALUES (?, ?)", [number, text])
        try run("INSERT INTO old VALUES (?)", [text])
        try run("INSERT INTO place VALUES (?, ?, ?)", [number, number, number + random.next(below: 9)])
    }
}

/// The same numbers and strings for the same seed.
struct SampleNumbers {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    /// Words, with some long strings that need overflow pages.
    mutating func text() -> String {
        let words = ["alpha", "beta", "größe", "δέλτα", "word", "naïve", "数", "x"]
        let count = next(below: 50) == 0 ? 400 + next(below: 900) : next(below: 18)
        return (0..<count).map { _ in words[next(below: words.count)] }.joined(separator: " ")
    }
}
