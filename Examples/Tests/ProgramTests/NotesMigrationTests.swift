import Amalgam
import AmalgamTesting
import Testing

@testable import notes

/// `notes` opens the databases of its first version, whose migrator, folders and notes are in NotesFirstVersion.swift.
struct NotesMigrationTests {
    private let tester = MigrationTester(notes.migrator)

    private let start = EarlierDatabase.version("v1 folders and notes", of: migrator) { db in
        try db.execute(
            sql: """
                INSERT INTO folder (name) VALUES ('Home'), ('Work');
                INSERT INTO note (folderId, text) VALUES (1, 'Water the plants'), (2, 'Call Bo');
                """)
    }

    private func content(_ db: Database) throws -> [Row] {
        try Row.fetchAll(
            db, sql: "SELECT note.id, folder.name, text FROM note JOIN folder ON folder.id = folderId ORDER BY note.id")
    }

    @Test func notesOfTheFirstVersionAreKept() throws {
        try tester.expectMigration(from: start, keeping: content) { db in
            let done = try Bool.fetchAll(db, sql: "SELECT isDone FROM note")
            #expect(done == [false, false])
        }
    }

    @Test func theMigrationMayBeInterrupted() throws {
        #expect(try tester.expectInterruptions(from: start, keeping: content) > 0)
    }

    @Test func theMigrationsDidNotChange() throws {
        try notes.migrator.verify(from: [migrator])
    }
}
