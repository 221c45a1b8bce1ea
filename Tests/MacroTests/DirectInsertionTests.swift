#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamRecords

/// A value that can run code while it is stored.
private struct Label: DatabaseValueConvertible, Equatable {
    let text: String

    @TaskLocal static var willStore: @Sendable (String) -> Void = { _ in }

    var databaseValue: DatabaseValue {
        Self.willStore(text)
        return text.databaseValue
    }

    static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> Label? {
        String.fromDatabaseValue(databaseValue).map { Label(text: $0) }
    }
}

private struct Score: Codable, Equatable {
    var points: Double
}

/// A record without callbacks. Its values are bound straight to the statement.
@Record("player")
private struct DirectPlayer: Equatable {
    @Key var id: Int64?
    var name: String
    var label: Label?
    var number: UInt64 = 1
    var born: Date?
    var photo: Data?
    var key: UUID?
    var score: Score?
}

/// The same record with a callback, which nothing else tells the macro of. It is inserted with all callbacks.
@Record("player")
private struct GeneralPlayer: Equatable {
    @Key var id: Int64?
    var name: String
    var label: Label?
    var number: UInt64 = 1
    var born: Date?
    var photo: Data?
    var key: UUID?
    var score: Score?
}

extension GeneralPlayer {
    func willSave(_ db: Database) throws {}
}

private protocol TestPlayer: FetchableRecord, MutablePersistableRecord {
    var id: Int64? { get set }
    var name: String { get set }
    var label: Label? { get set }
    var number: UInt64 { get set }
    var born: Date? { get set }
    var photo: Data? { get set }
    var key: UUID? { get set }
    var score: Score? { get set }
    init(name: String)
}

extension DirectPlayer: TestPlayer {
    init(name: String) { self.init(id: nil, name: name) }
}

extension GeneralPlayer: TestPlayer {
    init(name: String) { self.init(id: nil, name: name) }
}

@Suite("Direct insertions")
struct DirectInsertionTests {
    /// Inserts records of one of the types.
    private struct Subject {
        let db: Database
        let type: any TestPlayer.Type
        let note: (String) -> Void

        func insert(
            _ name: String, onConflict: Database.ConflictResolution? = nil,
            _ change: (inout any TestPlayer) -> Void = { _ in }
        ) throws {
            var player: any TestPlayer = type.init(name: name)
            change(&player)
            try insert(&player, onConflict)
        }

        private func insert(_ player: inout any TestPlayer, _ onConflict: Database.ConflictResolution?) throws {
            do {
                try player.insert(db, onConflict: onConflict)
                note("inserted \(player.name): \(player.id as Any), \(db.lastInsertedRowID), \(db.totalChangesCount)")
            } catch {
                note("\(error)")
            }
        }
    }

    private static let table = """
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (name <> ''), label, number, born, photo, key, score)
        """

    /// Returns what happens if a closure inserts records, after a first record was inserted in the general way.
    private func log<Player: TestPlayer>(
        _ type: Player.Type, _ sql: String, isDirect: Bool, _ body: (Subject) throws -> Void
    ) throws -> [String] {
        let traces = Shared<[String]>([])
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace { event in traces.value.append("\(event)") }
        }
        let queue = try DatabaseQueue(configuration: configuration)
        let events = EventLog(logsValues: true)
        var log: [String] = []
        try queue.write { db in
            try db.execute(sql: sql)
            var player = type.init(name: "first")
            try player.insert(db)
            expectEqual(RecordPlans.of(db).plan(type).insertsDirectly, isDirect)
            db.add(transactionObserver: events, extent: .databaseLifetime)
        }
        try queue.write { db in
            try body(Subject(db: db, type: type) { log.append($0) })
            log += try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY name").map { "\($0)" }
        }
        return log + events.take() + traces.value
    }

    /// Compares what happens with both types, and returns it.
    @discardableResult
    private func compare(_ sql: String = table, _ body: (Subject) throws -> Void) throws -> [String] {
        let direct = try log(DirectPlayer.self, sql, isDirect: true, body)
        let general = try log(GeneralPlayer.self, sql, isDirect: false, body)
        expectEqual(direct, general)
        return direct
    }

    @Test("values of all storage classes, and NULL")
    func values() throws {
        let log = try compare { subject in
            try subject.insert("Anna") {
                $0.label = Label(text: "l")
                $0.number = 7
                $0.born = Date(timeIntervalSince1970: 0.5)
                $0.photo = Data([1, 0, 2])
                $0.key = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
                $0.score = Score(points: 1.5)
            }
            try subject.insert("Bo")
            try subject.insert("Cleo") { $0.id = 70 }
            try subject.insert(String(repeating: "long ", count: 2_000)) { $0.photo = Data(count: 9_000) }
        }
        expectEqual(
            Array(log.prefix(2)), ["inserted Anna: Optional(2), 2, 2", "inserted Bo: Optional(3), 3, 3"])
        #expect(log.contains { $0.contains("1970-01-01 00:00:00.500") })
    }

    @Test("conflicts: errors with SQL and arguments, ignored and replaced rows")
    func conflicts() throws {
        let log = try compare { subject in
            try subject.insert("first") { $0.born = Date(timeIntervalSince1970: 0) }
            try subject.insert("")
            try subject.insert("first", onConflict: .ignore)
            try subject.insert("first", onConflict: .replace)
            try subject.insert("first", onConflict: .fail)
            try subject.insert("second")
        }
        #expect(log[0].contains("UNIQUE constraint failed: player.name"))
        #expect(log[0].contains("INSERT INTO"))
        #expect(log[2].hasPrefix("inserted first: nil"))
    }

    @Test("values that can't be stored")
    func unstorable() throws {
        let log = try compare { subject in
            try subject.insert("Anna") { $0.number = .max }
            try subject.insert("Bo") { $0.score = Score(points: .infinity) }
            try subject.insert("Cleo")
        }
        #expect(log[0].contains("18446744073709551615"))
        #expect(log[2].hasPrefix("inserted Cleo"))
    }

    @Test("changes of the schema, and tables that don't exist any more")
    func schema() throws {
        try compare { subject in
            try subject.db.execute(sql: "ALTER TABLE player ADD COLUMN other DEFAULT 5")
            try subject.insert("Anna")
            try subject.db.execute(sql: "ALTER TABLE player RENAME COLUMN label TO text")
            try subject.insert("Bo")
            try subject.db.execute(sql: "ALTER TABLE player RENAME TO old")
            try subject.insert("Cleo")
            try subject.db.execute(sql: "ALTER TABLE old RENAME TO player")
            try subject.db.execute(sql: "ALTER TABLE player RENAME COLUMN text TO label")
            try subject.insert("Dan")
        }
    }

    @Test("tables without rowid, views, triggers")
    func tables() throws {
        try compare("CREATE TABLE player (id, name PRIMARY KEY, label, number, born, photo, key, score) WITHOUT ROWID")
        {
            try $0.insert("Anna")
            try $0.insert("Anna", onConflict: .ignore)
        }
        try compare(
            """
            CREATE TABLE base (id INTEGER PRIMARY KEY, name);
            CREATE VIEW player AS SELECT id, name, '' AS label, 1 AS number, 0 AS born, '' AS photo, '' AS key, '' AS score
                FROM base;
            CREATE TRIGGER insertion INSTEAD OF INSERT ON player BEGIN INSERT INTO base (name) VALUES (new.name); END;
            """
        ) { try $0.insert("Anna") }
        try compare(
            Self.table
                + """
                ; CREATE TRIGGER copy AFTER INSERT ON player WHEN new.name NOT LIKE '% 2'
                BEGIN INSERT INTO player (name) VALUES (new.name || ' 2'); END;
                """
        ) { try $0.insert("Anna") }
    }

    @Test("values that insert other records while they are stored")
    func nested() throws {
        let log = try compare { subject in
            let insertions = Shared(0)
            let unsafe = Shared(subject)
            try Label.$willStore.withValue({ text in
                guard text == "outer" else { return }
                insertions.value += 1
                try? unsafe.value.insert("inner \(insertions.value)") { $0.label = Label(text: "inner") }
            }) {
                try subject.insert("outer") { $0.label = Label(text: "outer") }
                try subject.insert("outer 2") { $0.label = Label(text: "outer") }
            }
            try subject.insert("last")
        }
        expectEqual(log.filter { $0.hasPrefix("inserted") }.count, 5)
    }

    @Test("authorizers, limits and refused changes")
    func restrictions() throws {
        try compare { subject in
            try subject.db.withAuthorizer { action in
                action.kind == .insert ? .deny : .allow
            } perform: {
                try subject.insert("Anna")
            }
            try subject.insert("Bo")
            try subject.db.readOnly { try subject.insert("Cleo") }
            try subject.insert("Dan")
        }
    }
}

// MARK: - Types that aren't inserted directly

@Record("player")
private struct WillInsertPlayer {
    @Key var id: Int64?
    var name: String
}

extension WillInsertPlayer {
    mutating func willInsert(_ db: Database) throws { name += "!" }
}

@Record("player")
private struct AroundInsertPlayer {
    @Key var id: Int64?
    var name: String
}

extension AroundInsertPlayer {
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }
}

@Record("player")
private struct DidInsertPlayer {
    @Key var id: Int64?
    var name: String

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
        name = inserted.persistenceContainer["name"] as? String ?? ""
    }
}

@Record("player")
private struct AroundSavePlayer {
    @Key var id: Int64
    var name: String

    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }
}

@Record("player")
private struct DidSavePlayer {
    @Key var id: Int64
    var name: String
}

extension DidSavePlayer {
    func didSave(_ saved: PersistenceSuccess) {}
}

@Record("player")
private struct EncodedPlayer {
    @Key var id: Int64
    var name: String

    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        if !name.isEmpty { container["name"] = name }
    }
}

/// Callbacks that all types with a protocol have.
private protocol Validated: MutablePersistableRecord {}

extension Validated {
    func willSave(_ db: Database) throws {}
}

@Record("player")
private struct ValidatedPlayer: Validated {
    @Key var id: Int64
    var name: String
}

@Record("player")
private final class PlayerObject {
    @Key var id: Int64?
    var name: String

    init(name: String) {
        self.name = name
    }
}

@Record("player")
private struct SharedColumnPlayer {
    @Key var id: Int64
    @Column("name") var name: String
    @Column("other_name") var otherName: String

    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .custom { key in
            key.stringValue == "other_name" ? "name" : key.stringValue
        }
    }
}

@Record("player")
private struct ReplacingPlayer {
    @Key var id: Int64
    var name: String

    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace)
}

extension DirectInsertionTests {
    /// Inserts two records, and returns whether further ones are inserted directly.
    private func insertsDirectly<Record: MutablePersistableRecord>(_ first: Record, _ second: Record) throws -> Bool {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            for var record in [first, second] { try record.insert(db) }
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player"), 2)
            return RecordPlans.of(db).plan(Record.self).insertsDirectly == true
        }
    }

    @Test("a record with any callback, or with its own encoding, isn't inserted directly")
    func callbacks() throws {
        expectEqual(
            try insertsDirectly(WillInsertPlayer(id: nil, name: "A"), WillInsertPlayer(id: nil, name: "B")), false)
        expectEqual(
            try insertsDirectly(AroundInsertPlayer(id: nil, name: "A"), AroundInsertPlayer(id: nil, name: "B")), false)
        expectEqual(
            try insertsDirectly(DidInsertPlayer(id: nil, name: "A"), DidInsertPlayer(id: nil, name: "B")), false)
        expectEqual(try insertsDirectly(AroundSavePlayer(id: 1, name: "A"), AroundSavePlayer(id: 2, name: "B")), false)
        expectEqual(try insertsDirectly(DidSavePlayer(id: 1, name: "A"), DidSavePlayer(id: 2, name: "B")), false)
        expectEqual(try insertsDirectly(EncodedPlayer(id: 1, name: "A"), EncodedPlayer(id: 2, name: "")), false)
        expectEqual(try insertsDirectly(ValidatedPlayer(id: 1, name: "A"), ValidatedPlayer(id: 2, name: "B")), false)
        expectEqual(try insertsDirectly(PlayerObject(name: "A"), PlayerObject(name: "B")), true)
    }

    @Test("two properties that a strategy stores in one column are an error")
    func sharedColumns() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            let message =
                #"two properties of SharedColumnPlayer have the column "name": give one of them a different name, '@Column("a")'"#
            for id in Int64(1)...3 {
                expectFailure(.SQLITE_MISUSE, message) {
                    try SharedColumnPlayer(id: id, name: "a", otherName: "b").insert(db)
                }
            }
            expectFailure(.SQLITE_MISUSE, message) {
                _ = try SharedColumnPlayer.fetchOne(db, sql: "SELECT 1 AS id, 'a' AS name")
            }
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player"), 0)
        }
    }

    @Test("the key that SQLite assigns is set, after the first insertion too")
    func assignedKeys() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            let players = (1...3).map { PlayerObject(name: "\($0)") }
            for player in players { try player.insert(db) }
            expectEqual(players.map(\.id), [1, 2, 3])
        }
    }

    @Test("records of two types in turn: each has its own columns and conflict policy")
    func twoTypes() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            for number in 1...4 {
                let player = PlayerObject(name: "\(number)")
                try player.insert(db)
                try ReplacingPlayer(id: 1, name: "replaced \(number)").insert(db)
                expectEqual(player.id, Int64(number))
            }
            expectEqual(
                try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id"), ["replaced 4", "2", "3", "4"])
            expectCode(.SQLITE_CONSTRAINT) {
                try ReplacingPlayer(id: 1, name: "").insert(db, onConflict: .abort)
            }
            let players: [any MutablePersistableRecord] = [PlayerObject(name: "5"), ReplacingPlayer(id: 5, name: "6")]
            for var player in players { try player.insert(db) }
            expectEqual(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 5"), "6")
        }
    }

    @Test("the result of an insertion, which callbacks receive, can be changed")
    func results() throws {
        var result = InsertionSuccess(rowID: 1)
        expectEqual(result.rowIDColumn, nil)
        expectEqual(result.persistenceContainer.isEmpty, true)
        result.rowIDColumn = "id"
        result.persistenceContainer["name"] = "Anna"
        result.rowID = 2
        let copy = result
        result.persistenceContainer["name"] = "Ben"
        expectEqual(copy.rowID, 2)
        expectEqual(copy.rowIDColumn, "id")
        expectEqual(copy.persistenceContainer["name"] as? String, "Anna")
        expectEqual(result.persistenceContainer["name"] as? String, "Ben")
    }
}
#endif
