import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// State that features attach to a connection, and the events that an attachment receives.
struct DatabaseAttachmentTests {
    private final class Journal: DatabaseAttachment {
        static let key = AttachmentKey<Journal>()
        var lines: [String] = []

        func schemaDidChange() { lines.append("schema") }
        func accessDidEnd() { lines.append("access") }
        func connectionDidClose() { lines.append("close") }
    }

    private final class Note: DatabaseAttachment {
        static let key = AttachmentKey<Note>()
        let text: String

        init(_ text: String) { self.text = text }
    }

    @Test func eachConnectionHasItsOwn() throws {
        let (first, second) = try (makeQueue(""), makeQueue(""))
        first.inDatabase { db in
            #expect(db.attachment(Note.key) == nil)
            #expect(db.attachment(Note.key, orInsert: Note("first")).text == "first")
            #expect(db.attachment(Note.key, orInsert: Note("again")).text == "first")
            #expect(db.attachment(Journal.key) == nil)
        }
        second.inDatabase { db in #expect(db.attachment(Note.key) == nil) }
    }

    @Test func schemaChanges() throws {
        try makeQueue("CREATE TABLE t (a)").inDatabase { db in
            let journal = db.attachment(Journal.key, orInsert: Journal())
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(journal.lines == [])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            #expect(journal.lines == ["schema"])
        }
    }

    @Test func theEndOfAccessesAndOfTheConnection() throws {
        let dbQueue = try makeQueue("")
        let journal = Journal()
        dbQueue.inDatabase { db in
            _ = db.attachment(Journal.key, orInsert: journal)
            #expect(journal.lines == [])
        }
        #expect(journal.lines == ["access"])
        try dbQueue.close()
        #expect(journal.lines.contains("close"))
    }
}
