import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

@testable import AmalgamFullText

/// The terms of an index are words of all columns. They may be read where a vocabulary table may be read.
@Suite("The permission to read the terms of an index")
struct TermPermissionTests {
    /// Tables whose words `topsecret`, `covert` and `hiddenword` are in columns and tables that sandboxes protect.
    private func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE note USING fts5(title, body);
                INSERT INTO note VALUES ('alpha beta', 'topsecret');
                CREATE VIRTUAL TABLE noteTerms USING fts5vocab('note', 'row');
                CREATE VIRTUAL TABLE other USING fts5(body);
                INSERT INTO other VALUES ('hiddenword');
                CREATE TABLE person (id INTEGER PRIMARY KEY, name, pin);
                INSERT INTO person VALUES (1, 'anna', 'covert');
                CREATE VIRTUAL TABLE personIndex USING fts5(name, pin, content='person', content_rowid='id');
                INSERT INTO personIndex(personIndex) VALUES ('rebuild')
                """)
    }

    private let tables: Set = ["note", "noteTerms", "person", "personIndex"]

    /// Sandboxes that protect `note.body` and `person.pin`.
    private var sandboxes: [Sandbox] {
        var denying = Sandbox.readOnly(tables: tables)
        denying.denyColumns(["body"], of: "note")
        denying.denyColumns(["pin"], of: "person")
        var hiding = Sandbox.readOnly
        hiding.hideColumns(["body"], of: "note")
        hiding.hideColumns(["pin"], of: "person")
        return [denying, hiding]
    }

    /// Runs a test with a file, whose terms are in memory or not.
    private func run(isWarm: Bool, _ test: (Database) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "notes.sqlite").path
            let pool = try DatabasePool(path: path)
            try pool.write(create)
            let queue = try DatabaseQueue(path: path)
            if isWarm {
                try queue.read { db in
                    for table in ["note", "other", "personIndex"] {
                        _ = try FullTextIndex(db: db, table: table).terms()
                    }
                }
            }
            try queue.read(test)
            try queue.close()
            try pool.close()
        }
    }

    @Test("a query with typos has no words of protected columns", arguments: [false, true])
    func protectedColumns(isWarm: Bool) throws {
        let tolerance = TypoTolerance(lengthForOneTypo: 1, lengthForTwoTypos: 1, maximumTermCount: 1_000)
        try run(isWarm: isWarm) { db in
            for sandbox in sandboxes {
                try db.sandboxed(sandbox) {
                    expectCode(.SQLITE_AUTH) { _ = try FTS5Query.fuzzy("topsecrt").pattern(db, forTable: "note") }
                    expectCode(.SQLITE_AUTH) {
                        _ = try FTS5Query.fuzzyPrefix("t", tolerance: tolerance).pattern(db, forTable: "note")
                    }
                    expectCode(.SQLITE_AUTH) { _ = try FTS5Query.fuzzy("cvert").pattern(db, forTable: "personIndex") }
                    expectCode(.SQLITE_AUTH) { _ = try FTS5Query.fuzzy("alhpa").expansions(db, forTable: "note") }
                    expectCode(.SQLITE_AUTH) {
                        _ = try Table("note").matching(FTS5Query.fuzzy("alhpa").inColumns("title")).fetchCount(db)
                    }
                    expectCode(.SQLITE_AUTH) { try FTS5Index("note").warmUp(db) }
                    // The rule is that of the vocabulary.
                    expectCode(.SQLITE_AUTH) { _ = try FTS5Terms("noteTerms", of: "note").terms().fetchAll(db) }
                }
            }
            #expect(
                try FTS5Query.fuzzy("topsecrt").pattern(db, forTable: "note").rawPattern == "topsecrt OR topsecret")
        }
    }

    @Test("a query with typos has no words of tables that a sandbox doesn't list", arguments: [false, true])
    func unlistedTables(isWarm: Bool) throws {
        try run(isWarm: isWarm) { db in
            for sandbox in [sandboxes[0], .readOnly(tables: tables)] {
                try db.sandboxed(sandbox) {
                    let error = #expect(throws: DatabaseError.self) {
                        _ = try FTS5Query.fuzzy("hiddenwrd").pattern(db, forTable: "other")
                    }
                    #expect(error?.resultCode == .SQLITE_AUTH)
                    #expect(error?.message == "access to other is prohibited")
                    #expect(error?.deniedAction?.tableName == "other")
                }
            }
        }
    }

    @Test("a sandbox that protects no column of a listed table allows queries with typos", arguments: [false, true])
    func allowedTables(isWarm: Bool) throws {
        try run(isWarm: isWarm) { db in
            var sandbox = Sandbox.readOnly(tables: tables)
            sandbox.denyColumns(["pin"], of: "person")
            try db.sandboxed(sandbox) {
                #expect(
                    try FTS5Query.fuzzy("topsecrt").pattern(db, forTable: "note").rawPattern
                        == "topsecrt OR topsecret")
                #expect(try Table("note").matching(.fuzzy("alhpa")).fetchCount(db) == 1)
                try FTS5Index("note").warmUp(db)
            }
        }
    }

    @Test("an authorizer that hides a column, or throws, is asked", arguments: [false, true])
    func authorizers(isWarm: Bool) throws {
        struct Refusal: Error {}
        try run(isWarm: isWarm) { db in
            try db.withAuthorizer {
                $0.columnName == "body" ? .ignore : .allow
            } perform: {
                let error = #expect(throws: DatabaseError.self) {
                    _ = try FTS5Query.fuzzy("topsecrt").pattern(db, forTable: "note")
                }
                #expect(error?.message == "access to note.body is prohibited")
            }
            _ = try db.withAuthorizer { action in
                if action.columnName == "body" { throw Refusal() }
                return .allow
            } perform: {
                #expect(throws: Refusal.self) { _ = try FTS5Query.fuzzy("topsecrt").pattern(db, forTable: "note") }
            }
        }
    }
}
