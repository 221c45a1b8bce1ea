import Amalgam
import Foundation
import TestSupport
import Testing

/// Reading and writing parts of a blob.
struct DatabaseBlobTests {
    static let schema = """
        CREATE TABLE file (id INTEGER PRIMARY KEY, name TEXT, content BLOB);
        INSERT INTO file VALUES (1, 'one', x'00010203040506070809'), (2, 'two', zeroblob(5)), (3, 'three', NULL);
        """

    func run(_ kind: DatabaseKind = .memory, _ test: (Database) throws -> Void) throws {
        try kind.run { db in
            try db.execute(sql: Self.schema)
            try test(db)
        }
    }

    func content(_ db: Database, _ id: Int = 1) throws -> Data? {
        try Data.fetchOne(db, sql: "SELECT content FROM file WHERE id = ?", arguments: [id])
    }

    func firstByte(_ db: Database) throws -> UInt8? { try content(db)?.first }

    // MARK: Reading

    @Test(arguments: DatabaseKind.allCases)
    func reading(kind: DatabaseKind) throws {
        try run(kind) { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            #expect(blob.count == 10)
            #expect(blob.rowID == 1)
            #expect(try blob.readAll() == Data(0...9))
            #expect(try blob.read(at: 8) == Data([8, 9]))
            #expect(try blob.read(at: 2, count: 3) == Data([2, 3, 4]))
            #expect(try blob.read(at: 10).isEmpty)
            #expect(try blob.read(count: 0).isEmpty)
            try blob.close()
        }
    }

    @Test func readingIntoABuffer() throws {
        try run { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            var bytes: [UInt8] = [0xFF, 0xFF, 0xFF]
            try bytes.withUnsafeMutableBytes { try blob.read(into: $0, at: 7) }
            #expect(bytes == [7, 8, 9])
            try blob.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        }
    }

    @Test func texts() throws {
        try run { db in
            let blob = try db.openBlob(table: "file", column: "name", rowID: 3, access: .readWrite)
            #expect(blob.count == 5)
            #expect(try blob.readAll() == Data("three".utf8))
            try blob.write(Data("TH".utf8))
            try blob.close()
            #expect(try String.fetchOne(db, sql: "SELECT name FROM file WHERE id = 3") == "THree")
        }
    }

    @Test(arguments: [(-1, 1), (0, 11), (10, 1), (11, 0), (5, 6), (0, -1), (.max, 1), (1, .max), (.min, .min)])
    func outOfBounds(offset: Int, count: Int) throws {
        try run { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            expectError(
                .SQLITE_MISUSE, "The blob has 10 bytes: there are no \(count) bytes at offset \(offset)."
            ) { _ = try blob.read(at: offset, count: count) }
            if count > 0 && count < 100 {
                expectError(
                    .SQLITE_MISUSE, "The blob has 10 bytes: there are no \(count) bytes at offset \(offset)."
                ) { try blob.write([UInt8](repeating: 0, count: count), at: offset) }
            }
            #expect(try blob.readAll() == Data(0...9))
        }
    }

    @Test func offsetsWithoutACount() throws {
        try run { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
            for offset in [-1, 11, .min, .max] { _ = expectFailure(.SQLITE_MISUSE) { _ = try blob.read(at: offset) } }
        }
    }

    // MARK: Writing

    @Test(arguments: DatabaseKind.allCases)
    func writing(kind: DatabaseKind) throws {
        try run(kind) { db in
            try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
                try blob.write([0xA0, 0xA1] as [UInt8])
                try blob.write(Data([0xA2]), at: 9)
                try blob.write([] as [UInt8], at: 10)
                #expect(try blob.readAll() == Data([0xA0, 0xA1, 2, 3, 4, 5, 6, 7, 8, 0xA2]))
            }
            #expect(try content(db) == Data([0xA0, 0xA1, 2, 3, 4, 5, 6, 7, 8, 0xA2]))
        }
    }

    @Test func aTransactionDecides() throws {
        try run { db in
            try db.inTransaction {
                try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { try $0.write([9]) }
                #expect(try firstByte(db) == 9)
                return .rollback
            }
            #expect(try firstByte(db) == 0)
            try db.inTransaction {
                try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { try $0.write([9]) }
                return .commit
            }
            #expect(try firstByte(db) == 9)
        }
    }

    @Test func anErrorUndoesAWriteOutsideOfATransaction() throws {
        try run(.file) { db in
            #expect(throws: Refusal()) {
                try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
                    try blob.write([9])
                    throw Refusal()
                }
            }
            #expect(!db.isInsideTransaction)
            let byte = try firstByte(db)
            #expect(byte == 0)
        }
    }

    @Test func anOpenBlobIsCommittedWhenItIsClosed() throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        let other = try DatabasePool(path: path)
        try DatabaseQueue(path: path).inDatabase { db in
            try db.execute(sql: Self.schema)
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            #expect(db.transactionState() == .write)
            #expect(try other.read { try firstByte($0) } == 0)
            try blob.close()
            #expect(db.transactionState() == Database.TransactionState.none)
            #expect(try other.read { try firstByte($0) } == 9)
            try blob.close()
        }
    }

    @Test func aTransactionCannotCommitBeforeTheBlobIsClosed() throws {
        try run(.file) { db in
            try db.beginTransaction()
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try blob.write([9])
            _ = expectFailure(.SQLITE_BUSY, "cannot commit transaction - SQL statements in progress") {
                try db.commit()
            }
            try blob.close()
            try db.commit()
            #expect(try firstByte(db) == 9)
        }
    }

    @Test func readOnly() throws {
        try run { db in
            try db.withBlob(table: "file", column: "content", rowID: 1) { blob in
                expectError(
                    .SQLITE_READONLY, "The blob was not opened for writing: open it with .readWrite."
                ) { try blob.write([1]) }
            }
            try db.readOnly {
                _ = expectFailure(.SQLITE_READONLY) {
                    _ = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
                }
            }
            let blob = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
            try db.readOnly {
                expectError(.SQLITE_READONLY, "attempt to write a readonly database") { try blob.write([1]) }
                let bytes = try blob.read(count: 1)
                #expect(bytes == Data([0]))
            }
        }
    }

    // MARK: Streaming

    @Test(arguments: [1, 3, 5, 10, 11, 1000, .max, 0, -7])
    func chunks(size: Int) throws {
        try run { db in
            try db.withBlob(table: "file", column: "content", rowID: 1) { blob in
                let chunks = blob.chunks(ofCount: size)
                var all = Data()
                while let chunk = try chunks.next() {
                    #expect(chunk.count == min(max(1, size), 10 - all.count))
                    all += chunk
                }
                #expect(all == Data(0...9))
                #expect(try chunks.next() == nil)
                var visited = Data()
                try blob.forEachChunk(ofCount: size) { visited.append(contentsOf: $0) }
                #expect(visited == Data(0...9))
            }
        }
    }

    @Test func emptyBlobs() throws {
        try run { db in
            try db.execute(sql: "UPDATE file SET content = x'' WHERE id = 1")
            try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
                #expect(blob.count == 0)
                #expect(try blob.readAll().isEmpty)
                #expect(try blob.chunks().next() == nil)
                try blob.forEachChunk { _ in Issue.record("there is no byte") }
                let count = try blob.fill { _ in 1 }
                #expect(count == 0)
            }
        }
    }

    @Test func filling() throws {
        try run { db in
            try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
                var next: UInt8 = 100
                let count = try blob.fill(at: 1, chunkSize: 4) { buffer in
                    #expect(buffer.count <= 4)
                    let count = min(3, 106 - Int(next))
                    for index in 0..<count { buffer[index] = next + UInt8(index) }
                    next += UInt8(count)
                    return count
                }
                #expect(count == 6)
                #expect(try blob.readAll() == Data([0, 100, 101, 102, 103, 104, 105, 7, 8, 9]))
                // One source returns a larger count than requested, and one is endless.
                #expect(try blob.fill(at: 8) { _ in 1000 } == 2)
                _ = expectFailure(.SQLITE_MISUSE) { try blob.fill(at: 11) { _ in 1 } }
                #expect(throws: Refusal()) { try blob.fill { _ in throw Refusal() } }
            }
            try db.withBlob(table: "file", column: "content", rowID: 1) { blob in
                _ = expectFailure(.SQLITE_READONLY) { try blob.fill { _ in 0 } }
            }
        }
    }

    @Test func fillingFromAStream() throws {
        try run { db in
            let stream = InputStream(data: Data(50...59))
            stream.open()
            try db.withBlob(table: "file", column: "content", rowID: 1, access: .readWrite) { blob in
                let count = try blob.fill(chunkSize: 3) { buffer in
                    stream.read(buffer.bindMemory(to: UInt8.self).baseAddress!, maxLength: buffer.count)
                }
                #expect(count == 10)
            }
            #expect(try content(db) == Data(50...59))
        }
    }

    @Test func large() throws {
        try run(.file) { db in
            try db.execute(sql: "INSERT INTO file (id, content) VALUES (9, ?)", arguments: [ZeroBlob(count: 3_000_000)])
            try db.withBlob(table: "file", column: "content", rowID: 9, access: .readWrite) { blob in
                var value: UInt8 = 0
                try blob.fill { buffer in
                    for index in buffer.indices {
                        buffer[index] = value
                        value = value &* 31 &+ 7
                    }
                    return buffer.count
                }
            }
            var expected = Data(capacity: 3_000_000)
            var value: UInt8 = 0
            for _ in 0..<3_000_000 {
                expected.append(value)
                value = value &* 31 &+ 7
            }
            #expect(try content(db, 9) == expected)
        }
    }

    // MARK: Errors of opening

    @Test func opening() throws {
        try run { db in
            try db.execute(
                sql: """
                    CREATE TABLE keyed (id TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID;
                    CREATE TABLE computed (a BLOB, b AS (length(a)));
                    CREATE TABLE indexed (
                      id INTEGER PRIMARY KEY, content BLOB UNIQUE, parent REFERENCES indexed(content));
                    INSERT INTO indexed VALUES (1, x'00', x'00'), (2, x'01', NULL);
                    CREATE VIEW v AS SELECT * FROM file;
                    CREATE VIRTUAL TABLE search USING fts5(content);
                    CREATE TEMPORARY TABLE t (content BLOB);
                    INSERT INTO t VALUES (x'2A');
                    """)
            let errors: [(table: String, column: String, id: Int64, schema: String, message: String)] = [
                ("file", "content", 99, "main", "no such rowid: 99"),
                ("file", "content", 3, "main", "cannot open value of type null"),
                ("file", "id", 1, "main", "cannot open value of type null"),
                ("file", "nope", 1, "main", "no such column: \"nope\""),
                ("nope", "content", 1, "main", "no such table: main.nope"),
                ("file", "content", 1, "nope", "no such table: nope.file"),
                ("keyed", "content", 1, "main", "cannot open table without rowid: keyed"),
                ("computed", "a", 1, "main", "cannot open table with generated columns: computed"),
                ("v", "content", 1, "main", "cannot open view: v"),
                ("search", "content", 1, "main", "cannot open virtual table: search"),
            ]
            for (table, column, id, schema, message) in errors {
                for access in [Database.BlobAccess.read, .readWrite] {
                    expectError(.SQLITE_ERROR, message) {
                        _ = try db.openBlob(table: table, column: column, rowID: id, schema: schema, access: access)
                    }
                }
            }
            expectError(.SQLITE_ERROR, "cannot open indexed column for writing") {
                _ = try db.openBlob(table: "indexed", column: "content", rowID: 1, access: .readWrite)
            }
            expectError(.SQLITE_ERROR, "cannot open foreign key column for writing") {
                _ = try db.openBlob(table: "indexed", column: "parent", rowID: 1, access: .readWrite)
            }
            expectError(.SQLITE_MISUSE, "The table SQLITE_MASTER is SQLite's own: it may be read only.") {
                _ = try db.openBlob(table: "SQLITE_MASTER", column: "sql", rowID: 1, access: .readWrite)
            }
            for (table, column, schema) in [("file\0", "a", "main"), ("file", "a\0", "main"), ("file", "a", "\0")] {
                expectError(.SQLITE_MISUSE, "A name must not contain a NUL character.") {
                    _ = try db.openBlob(table: table, column: column, rowID: 1, schema: schema)
                }
            }
            #expect(try db.openBlob(table: "t", column: "content", rowID: 1, schema: "temp").readAll() == Data([42]))
            #expect(try db.openBlob(table: "FILE", column: "CONTENT", rowID: 2).count == 5)
            #expect(db.transactionState() == Database.TransactionState.none)
        }
    }

    @Test func aLockedDatabase() throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.execute(sql: Self.schema) }
        try DatabaseQueue(path: path).inTransaction(.immediate) { _ in
            try queue.inDatabase { db in
                let blob = try db.openBlob(table: "file", column: "content", rowID: 1)
                #expect(blob.count == 10)
                _ = expectFailure(.SQLITE_BUSY, "database is locked") {
                    _ = try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite)
                }
            }
            return .rollback
        }
    }
}
