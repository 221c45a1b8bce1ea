import AmalgamConcurrency
import AmalgamCore
import AmalgamInspection
import AmalgamRecords
import Foundation

/// Database files with a WAL of strangers, and SQL on them.
///
/// The first byte selects the connection, and whether checksums are made right after the changes. The others are the number of
/// changed bytes, the changes, each with a file, an offset and a value, the number of bytes that the WAL loses, and a statement. If the
/// file is intact with its WAL, it has the same rows after a checkpoint.
final class WALFileFuzz: FuzzRun {
    private let folder: URL
    private let file: Data
    private let log: Data

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-fuzz-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("base.sqlite").path
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { db in
            try db.execute(sql: DamagedDatabase.preparations[0] + "PRAGMA journal_mode = WAL")
            try db.execute(sql: DamagedDatabase.schema)
            try db.checkpoint(.truncate)
            try db.execute(
                sql: """
                    INSERT INTO a(id, b, c) VALUES (50, 'fifty', 1), (51, 'more', 2); UPDATE w SET v = 'changed' WHERE l < 3;
                    CREATE TABLE late (x); INSERT INTO late VALUES (1); DELETE FROM a WHERE id = 5;
                    """)
        }
        file = try Data(contentsOf: URL(fileURLWithPath: path))
        log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        try database.close()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func run(_ input: FuzzInput) throws {
        var input = input
        let settings = input.byte()
        var (file, log) = (self.file, self.log)
        for _ in 0..<input.number(below: 32) {
            let isInFile = input.byte() & 3 == 0
            let offset = input.number(below: 65_536)
            if isInFile { file[offset % file.count] = input.byte() } else { log[offset % log.count] = input.byte() }
        }
        log.removeLast(input.number(below: 65_536) % (4 * log.count) / 4)
        if settings & 1 == 0 { WALChecksums.repair(&log) }
        let path = folder.appendingPathComponent("changed.sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        try use(path, isPool: settings & 2 > 0, input.text)
    }

    private func use(_ path: String, isPool: Bool, _ sql: String) throws {
        guard let database = try? open(path, isPool: isPool) else { return }
        let before = state(database)
        _ = try? database.read { db in
            try DamagedDatabase.withLimits(db) {
                DamagedDatabase.readSchema(db)
                DamagedDatabase.runUntrusted(sql, db)
            }
        }
        try database.writeWithoutTransaction { db in
            try DamagedDatabase.withLimits(db) {
                if (try? db.checkpoint(.truncate)) != nil, let before {
                    let after = (try? db.integrityCheck()) == [] ? DamagedDatabase.rows(db) : nil
                    try expect(after == before, "the rows after the checkpoint are others")
                }
                DamagedDatabase.write(db)
            }
        }
        try? database.close()
    }

    private func open(_ path: String, isPool: Bool) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        if isPool { return try DatabasePool(path: path, configuration: configuration) }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// The rows of an intact file; nil for a damaged one.
    private func state(_ database: any DatabaseWriter) -> [String: [String]]? {
        try? database.read { db in
            var rows: [String: [String]]?
            try DamagedDatabase.withLimits(db) {
                if (try? db.integrityCheck()) == [] { rows = DamagedDatabase.rows(db) }
            }
            return rows
        }
    }
}

/// The checksums of a WAL: <https://sqlite.org/walformat.html>.
enum WALChecksums {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Writes the checksums that belong to the content, and the salts of the header to all frames. So SQLite reads the frames, whatever
    /// they contain.
    static func repair(_ log: inout Data) {
        var bytes = Array(log)
        guard bytes.count >= headerSize else { return }
        let isBigEndian = bytes[3] & 1 == 1
        let pageSize = Int(number(bytes, 8, isBigEndian: true))
        var sum: (UInt32, UInt32) = (0, 0)
        add(bytes[..<24], to: &sum, isBigEndian)
        write(sum, to: &bytes, 24)
        guard (512...65_536).contains(pageSize), pageSize.isMultiple(of: 8) else { return log = Data(bytes) }
        var frame = headerSize
        while frame + frameHeaderSize + pageSize <= bytes.count {
            bytes.replaceSubrange(frame + 8..<frame + 16, with: bytes[16..<24])
            add(bytes[frame..<frame + 8], to: &sum, isBigEndian)
            let page = frame + frameHeaderSize
            add(bytes[page..<page + pageSize], to: &sum, isBigEndian)
            write(sum, to: &bytes, frame + 16)
            frame = page + pageSize
        }
        log = Data(bytes)
    }

    private static func number(_ bytes: [UInt8], _ index: Int, isBigEndian: Bool) -> UInt32 {
        let four = bytes[index..<index + 4]
        return (isBigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func add(_ part: ArraySlice<UInt8>, to sum: inout (UInt32, UInt32), _ isBigEndian: Bool) {
        let bytes = Array(part)
        for index in stride(from: 0, to: bytes.count, by: 8) {
            sum.0 &+= number(bytes, index, isBigEndian: isBigEndian) &+ sum.1
            sum.1 &+= number(bytes, index + 4, isBigEndian: isBigEndian) &+ sum.0
        }
    }

    private static func write(_ sum: (UInt32, UInt32), to bytes: inout [UInt8], _ index: Int) {
        for (offset, value) in [sum.0, sum.1].enumerated() {
            for byte in 0..<4 { bytes[index + 4 * offset + byte] = UInt8(value >> UInt32(24 - 8 * byte) & 0xFF) }
        }
    }
}
