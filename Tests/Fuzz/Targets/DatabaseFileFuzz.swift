import AmalgamBackup
import AmalgamConcurrency
import AmalgamCore
import AmalgamInspection
import AmalgamRecords
import AmalgamSandbox
import Foundation

/// Database files of strangers, and SQL on them.
///
/// The first byte selects a file. If it selects none, the bytes after the first line are the file; otherwise, the third byte is the
/// number of changed bytes, each with a page, an offset and a value. The rest, or the first line, is a statement. The schema is read,
/// the statement runs in a sandbox, and all tables are read and written, with rows or errors.
struct DatabaseFileFuzz: FuzzRun {
    private let files: [Data]

    init() throws {
        files = try DamagedDatabase.preparations.map { preparation in
            try DatabaseQueue().writeWithoutTransaction { db in
                try db.execute(sql: preparation + DamagedDatabase.schema)
                return try db.serialize()
            }
        }
    }

    func run(_ input: FuzzInput) throws {
        var input = input
        let file = input.number(below: files.count + 1)
        let isHardened = input.bool()
        var content: Data
        let sql: String
        if file == files.count {
            sql = input.line()
            content = Data(input.remainder)
        } else {
            content = files[file]
            let pageCount = content.count / DamagedDatabase.pageSize
            for _ in 0..<input.number(below: 32) {
                let page = input.number(below: pageCount)
                let offset = input.number(below: DamagedDatabase.pageSize)
                content[page * DamagedDatabase.pageSize + offset] = input.byte()
            }
            sql = input.text
        }
        var configuration = Configuration()
        if isHardened { configuration.harden() }
        let database = try DatabaseQueue(configuration: configuration)
        try database.writeWithoutTransaction { db in
            guard (try? db.deserialize(content)) != nil else { return }
            try DamagedDatabase.withLimits(db) {
                DamagedDatabase.readSchema(db)
                DamagedDatabase.runUntrusted(sql, db)
                let isIntact = (try? db.integrityCheck()) == []
                let rows = DamagedDatabase.rows(db)
                if (try? db.execute(sql: "VACUUM")) != nil, isIntact, let rows {
                    let after = DamagedDatabase.rows(db) ?? [:]
                    let changed = rows.keys.filter { rows[$0] != after[$0] }.sorted()
                    try expect(changed == [], "VACUUM changes the rows of an intact file: \(changed)")
                }
                DamagedDatabase.write(db)
                _ = try? db.quickCheck()
                _ = try? db.serialize()
            }
        }
        try database.close()
    }
}
