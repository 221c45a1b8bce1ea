#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

/// The callbacks that were called, in order.
final class CallLog {
    var calls: [String] = []

    func take() -> String {
        defer { calls = [] }
        return calls.joined(separator: " ")
    }
}

/// A record that records its callbacks.
private struct NotedPlayer: MutablePersistableRecord, FetchableRecord {
    static let databaseTableName = "player"

    var id: Int64?
    var name: String
    let log: CallLog

    init(id: Int64?, name: String, log: CallLog = CallLog()) {
        self.id = id
        self.name = name
        self.log = log
    }

    init(row: Row) { self.init(id: row["id"], name: row["name"]) }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    mutating func willInsert(_ db: Database) throws {
        log.calls.append("willInsert")
        // A callback may use the connection.
        _ = try Int.fetchOne(db, sql: "SELECT 1")
    }

    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        log.calls.append("insert(")
        _ = try insert()
        log.calls.append(")")
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        log.calls.append("didInsert")
        id = inserted.rowID
    }

    func willUpdate(_ db: Database, columns: Set<String>) throws {
        log.calls.append("willUpdate[\(columns.sorted().joined(separator: ","))]")
    }

    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        log.calls.append("update(")
        _ = try update()
        log.calls.append(")")
    }

    func didUpdate(_ updated: PersistenceSuccess) { log.calls.append("didUpdate") }

    func willSave(_ db: Database) throws { log.calls.append("willSave") }

    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        log.calls.append("save(")
        _ = try save()
        log.calls.append(")")
    }

    func didSave(_ saved: PersistenceSuccess) {
        log.calls.append("didSave[\(saved.persistenceContainer.map { "\($0.0):\($0.1)" }.joined(separator: ","))]")
    }

    func willDelete(_ db: Database) throws { log.calls.append("willDelete") }

    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        log.calls.append("delete(")
        _ = try delete()
        log.calls.append(")")
    }

    func didDelete(deleted: Bool) { log.calls.append("didDelete[\(deleted)]") }
}

struct CallbackTests {
    private static func inserted(_ id: Int, _ name: String) -> String {
        "willSave save( willInsert insert( ) didInsert ) didSave[id:\(id),name:\"\(name)\"]"
    }

    @Test func ofInsertions() throws {
        try withClub { db in
            var player = NotedPlayer(id: nil, name: "A")
            try player.insert(db)
            #expect(player.log.take() == Self.inserted(1, "A"))

            player = NotedPlayer(id: nil, name: "B")
            _ = try player.insertAndFetch(db, as: Player.self)
            #expect(player.log.take() == Self.inserted(2, "B"))

            try player.upsert(db)
            #expect(player.log.take() == Self.inserted(2, "B"))

            _ = try player.upsertAndFetch(db)
            #expect(player.log.take() == Self.inserted(2, "B"))
        }
    }

    @Test func ofUpdates() throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'A', 1)")
            let player = NotedPlayer(id: 1, name: "A")
            try player.update(db)
            #expect(
                player.log.take()
                    == "willSave save( willUpdate[id,name] update( ) didUpdate ) didSave[id:1,name:\"A\"]")
            try player.update(db, columns: ["name"])
            #expect(
                player.log.take() == "willSave save( willUpdate[name] update( ) didUpdate ) didSave[id:1,name:\"A\"]")

            let missing = NotedPlayer(id: 2, name: "B")
            #expect(throws: RecordError.self) { try missing.update(db) }
            #expect(missing.log.take() == "willSave save( willUpdate[id,name] update(")
        }
    }

    @Test func ofSaves() throws {
        try withClub { db in
            var player = NotedPlayer(id: nil, name: "A")
            try player.save(db)
            #expect(player.log.take() == Self.inserted(1, "A"))

            try player.save(db)
            #expect(
                player.log.take()
                    == "willSave save( willUpdate[id,name] update( ) didUpdate ) didSave[id:1,name:\"A\"]")

            player = NotedPlayer(id: 5, name: "B")
            _ = try player.saveAndFetch(db, as: Player.self)
            #expect(
                player.log.take() == """
                    willSave save( willUpdate[id,name] update( willInsert insert( ) didInsert ) \
                    didSave[id:5,name:"B"]
                    """)
        }
    }

    @Test func ofDeletionsAndQuestions() throws {
        try withClub { db in
            var player = NotedPlayer(id: 1, name: "A")
            try player.insert(db)
            _ = player.log.take()
            _ = try player.exists(db)
            #expect(player.log.take() == "")
            try player.delete(db)
            #expect(player.log.take() == "willDelete delete( ) didDelete[true]")
            try player.delete(db)
            #expect(player.log.take() == "willDelete delete( ) didDelete[false]")
            try NotedPlayer.deleteAll(db)
            #expect(player.log.take() == "")
        }
    }

    @Test func stopAtErrors() throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'A', 1), (2, 'B', 2)")
            var player = NotedPlayer(id: 1, name: "B")
            #expect(throws: DatabaseError.self) { try player.upsert(db) }
            #expect(player.log.take() == "willSave save( willInsert insert(")
        }
    }

    // MARK: Callbacks with effects

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Stamped: MutableStoredRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var score: Int?
        mutating func willInsert(_ db: Database) throws { score = 7 }
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        func willUpdate(_ db: Database, columns: Set<String>) throws {
            // A different record is missing: this one isn't inserted instead.
            try Country(isoCode: "FR", name: "France").save(db)
        }
    }

    @Test func mayChangeTheRecordAndOthers() throws {
        try withClub { db in
            var record = Stamped(id: nil, name: "A", score: nil)
            try record.insert(db)
            #expect(record.score == 7)
            expectEqual(try Player.fetchAll(db), [Player(id: 1, name: "A", score: 7)])
            try record.update(db)
            expectEqual(try Country.fetchCount(db), 1)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Dependent: MutableStoredRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        func willUpdate(_ db: Database, columns: Set<String>) throws {
            try Country(isoCode: "FR", name: "France").update(db)
        }
    }

    /// The missing row may be that of a different record.
    @Test func rethrowErrorsOfOtherRecords() throws {
        try withClub { db in
            var record = Dependent(id: 1, name: "A")
            expectThrows(RecordError.self, #"Key not found in table country: [isoCode:"FR"]"#) { try record.save(db) }
            expectEqual(try Player.fetchCount(db), 0)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Configuration: StoredRecord, Equatable {
        static let databaseTableName = "configuration"
        var id = 1
        var flag: Bool
        func willUpdate(_ db: Database, columns: Set<String>) throws {
            if try !exists(db) { try Configuration(flag: false).insert(db) }
        }
    }

    @Test func mayInsertTheRowThatIsUpdated() throws {
        try withClub { db in
            try db.execute(sql: "CREATE TABLE configuration (id INTEGER PRIMARY KEY CHECK (id = 1), flag BOOLEAN)")
            try Configuration(flag: true).update(db)
            expectEqual(try Configuration.fetchOne(db), Configuration(flag: true))
            try Configuration(flag: false).save(db)
            expectEqual(try Configuration.fetchOne(db), Configuration(flag: false))
        }
    }

    @Test func mustDoWhatTheyAreFor() throws {
        class Lazy: PersistableRecord {
            class var databaseTableName: String { "player" }
            func encode(to container: inout PersistenceContainer) { container["id"] = 1; container["name"] = "A" }
            func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {}
            func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {}
        }
        final class Swallowing: Lazy {
            override func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
                _ = try? insert()
            }
        }
        func message(_ type: String, _ name: String) -> String {
            """
            Incorrect implementation of the `\(type).\(name)` persistence callback: the action function was not called, \
            or its error was not rethrown.
            """
        }
        try withClub { db in
            expectDatabaseError(.SQLITE_MISUSE, message("Lazy", "aroundInsert")) { try Lazy().insert(db) }
            expectDatabaseError(.SQLITE_MISUSE, message("Lazy", "aroundDelete")) { try Lazy().delete(db) }
            try Swallowing().insert(db)
            expectDatabaseError(.SQLITE_MISUSE, message("Swallowing", "aroundInsert")) { try Swallowing().insert(db) }
        }
    }
}
#endif
