package import Amalgam
package import Foundation

/// A way to open a database.
package struct Profile: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Sendable {
        case queue, pool
    }

    package var kind: Kind
    package var setting: Setting
    package var pageSize: Int
    package var isEncrypted: Bool
    /// Whether a second file is attached. Each transaction then begins in both files.
    package var hasOther: Bool

    package init(
        _ kind: Kind, _ setting: Setting, pageSize: Int = 4096, isEncrypted: Bool = false, hasOther: Bool = true
    ) {
        self.kind = kind
        self.setting = setting
        self.pageSize = pageSize
        self.isEncrypted = isEncrypted
        self.hasOther = hasOther
    }

    /// Such as `pool-wal-full-policy-4096-clear-two`.
    package var description: String {
        "\(kind.rawValue)-\(setting)-\(pageSize)-\(isEncrypted ? "encrypted" : "clear")-\(hasOther ? "two" : "one")"
    }

    /// Nil if the string isn't a ``description``.
    package init?(_ description: String) {
        let words = description.split(separator: "-").map(String.init)
        guard words.count == 7, let kind = Kind(rawValue: words[0]),
            let journal = Setting.Journal(rawValue: words[1]),
            let synchronous = Setting.Synchronous(rawValue: words[2]),
            let policy = Setting.Policy(rawValue: words[3]), let pageSize = Int(words[4]),
            ["clear", "encrypted"].contains(words[5]), ["one", "two"].contains(words[6])
        else { return nil }
        self.init(
            kind, Setting(journal, synchronous, policy), pageSize: pageSize, isEncrypted: words[5] == "encrypted",
            hasOther: words[6] == "two")
    }

    /// A profile of a setting that promises something.
    package static func random(_ random: inout Random) -> Profile {
        let setting = Setting.all.filter { $0.promise(keepsOrder: true) > .nothing }.randomElement(using: &random)!
        return self.random(setting, &random)
    }

    package static func random(_ setting: Setting, _ random: inout Random) -> Profile {
        let isEncrypted = canEncrypt && random.next(below: 4) == 0
        // The codec's bytes don't leave enough of a page of 512 bytes.
        let sizes = (isEncrypted ? 10...16 : 9...16).map { 1 << $0 }
        return Profile(
            setting.journal == .wal && random.next(below: 3) > 0 ? .pool : .queue, setting,
            pageSize: sizes.randomElement(using: &random)!, isEncrypted: isEncrypted,
            hasOther: random.next(below: 2) == 0)
    }

    /// The behavior of disks after which this profile promises something.
    package var behavior: Crash.Behavior {
        setting.promise(keepsOrder: false) == .nothing ? .keepsOrder : .any
    }

    #if Encryption
    package static let canEncrypt = true
    #else
    package static let canEncrypt = false
    #endif
}

// MARK: Connections

/// The names of the database files.
let mainName = "main.sqlite"
private let otherName = "other.sqlite"

extension Profile {
    /// The names of the databases in SQL.
    var schemas: [String] { hasOther ? ["main", "other"] : ["main"] }

    /// The files of the databases.
    var fileNames: [String] { hasOther ? [mainName, otherName] : [mainName] }

    /// Opens the files of a folder as an application does.
    package func open(_ folder: URL) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        configuration.automaticMemoryManagement = false
        configuration.busyMode = .timeout(10)
        configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 1_000_000) }
        setCheckpoints(&configuration)
        if setting.journal == .wal { configuration.journalMode = .wal }
        configuration.prepareDatabase { db in
            try use(db)
            if !db.configuration.readonly { try prepare(db, folder) }
        }
        configuration.audit("account")
        let path = folder.appendingPathComponent(mainName).path
        return switch kind {
        case .queue: try DatabaseQueue(path: path, configuration: configuration)
        case .pool: try DatabasePool(path: path, configuration: configuration)
        }
    }

    /// Checkpoints are so frequent that short programs have some.
    private func setCheckpoints(_ configuration: inout Configuration) {
        switch setting.policy {
        case .automatic: configuration.automaticCheckpoint = .frames(30)
        case .policy: configuration.walPolicy = WALPolicy(maximumSize: 20 * pageSize, maximumAge: nil)
        case .replicated: configuration.walPolicy = .replicated
        }
    }

    private func prepare(_ db: Database, _ folder: URL) throws {
        try attach(db, folder)
        // The settings of a database that is attached are its own.
        for schema in schemas {
            try db.execute(sql: "PRAGMA \(schema).synchronous = \(setting.synchronous.rawValue)")
            if try Int.fetchOne(db, sql: "PRAGMA \(schema).page_count") == 0 {
                if !isEncrypted { try db.execute(sql: "PRAGMA \(schema).page_size = \(pageSize)") }
                try db.execute(sql: "PRAGMA \(schema).auto_vacuum = INCREMENTAL")
            }
            try db.execute(sql: "PRAGMA \(schema).journal_mode = \(setting.journal.rawValue)")
        }
    }

    /// Opens the files after a crash, and lets SQLite recover them.
    package func openRecovered(_ folder: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.automaticMemoryManagement = false
        configuration.prepareDatabase { db in
            try use(db)
            try attach(db, folder)
        }
        return try DatabaseQueue(
            path: folder.appendingPathComponent(mainName).path, configuration: configuration)
    }

    private func attach(_ db: Database, _ folder: URL) throws {
        if !hasOther { return }
        let path = folder.appendingPathComponent(otherName).path
        if isEncrypted {
            // Without a key of its own, the file would need the salt of the main file, which a new file doesn't have yet.
            try db.execute(sql: "ATTACH ? AS other KEY ?", arguments: [path, "x'\(Self.keyInHex)'"])
        } else {
            try db.execute(sql: "ATTACH ? AS other", arguments: [path])
        }
    }

    private func use(_ db: Database) throws {
        #if Encryption
        guard isEncrypted else { return }
        try db.useRawKey(Self.key)
        try db.execute(sql: "PRAGMA cipher_page_size = \(pageSize)")
        #endif
    }

    /// The key of both files.
    private static let key = Data(0..<32)
    private static let keyInHex = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
