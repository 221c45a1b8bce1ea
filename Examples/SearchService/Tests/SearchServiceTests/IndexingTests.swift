import Amalgam
import Foundation
import Testing

@testable import SearchService

@Suite struct `Indexing a folder` {
    @Test func `finds the text, title and kind of each file`() throws {
        let test = try TestService()
        let documents = try test.service.store.pool.read { db in
            try Document.order(Document.Columns.path).fetchAll(db)
        }
        #expect(documents.map(\.path) == ["notes/otters.md", "src/heron.txt", "src/otter.swift"])
        #expect(documents.map(\.title) == ["Otters of the river", "heron.txt", "Counts the otters of a lake."])
        #expect(documents[2].metadata == #"{"folder":"src","kind":"Swift","lines":2}"#)
    }

    @Test func `updates changed files and deletes removed ones`() throws {
        let test = try TestService()
        let id = try test.id("notes/otters.md")
        try test.write("# Otters of the sea\n", to: "notes/otters.md")
        try test.remove("src/heron.txt")
        try test.write("A new one.\n", to: "new.txt")
        test.service.indexer.scan()
        #expect(try test.id("notes/otters.md") == id)
        let paths = try test.service.store.pool.read { db in
            try String.fetchAll(db, sql: "SELECT path FROM document ORDER BY path")
        }
        #expect(paths == ["new.txt", "notes/otters.md", "src/otter.swift"])
    }

    @Test func `records changes of files in the audit log, and not the first indexing`() throws {
        let test = try TestService()
        let id = try test.id("notes/otters.md")
        try test.write("# Otters of the sea\n", to: "notes/otters.md")
        test.service.indexer.scan()
        let entries = try test.service.store.pool.read { db in try AuditLog.Entry.all().fetchAll(db) }
        #expect(entries.map(\.key) == [AuditLog.Key(id)])
        #expect(entries.first?.actor == "indexer")
    }

    @Test func `doesn't write if nothing has changed`() throws {
        let test = try TestService()
        let before = try test.service.store.pool.read { db in try Int.fetchOne(db, sql: "PRAGMA data_version") }
        test.service.indexer.scan()
        let after = try test.service.store.pool.read { db in try Int.fetchOne(db, sql: "PRAGMA data_version") }
        #expect(before == after)
        #expect(test.service.status.current.scans == 2)
    }

    @Test func `follows no link, and omits binary files`() throws {
        let test = try TestService()
        let documents = test.folder.appending(path: "documents")
        let outside = test.folder.appending(path: "secret.txt")
        try Data("secret".utf8).write(to: outside)
        try FileManager.default.createSymbolicLink(
            at: documents.appending(path: "link.txt"), withDestinationURL: outside)
        try FileManager.default.createSymbolicLink(
            at: documents.appending(path: "up"), withDestinationURL: test.folder)
        try Data([0x61, 0, 0x62]).write(to: documents.appending(path: "binary"))
        test.service.indexer.scan()
        #expect(try test.service.store.pool.read(Document.fetchCount) == 3)
    }
}

@Suite struct `Indexing JSON Lines` {
    private func service(_ text: String) throws -> TestService {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
        try Data(text.utf8).write(to: file)
        return try TestService([:]) { $0.source = .jsonLines(file) }
    }

    @Test func `makes a document of each line, with the other members as metadata`() throws {
        let test = try service(
            """
            {"id": 7, "title": "Otters", "text": "They swim.", "language": "en", "year": 2024, "date": "2024-05-01"}
            {"body": "No title."}

            """)
        let documents = try test.service.store.pool.read { db in try Document.order(Document.Columns.id).fetchAll(db) }
        #expect(documents.map(\.path) == ["7", "line 2"])
        #expect(documents.map(\.title) == ["Otters", "No title."])
        #expect(documents[0].language == "en")
        #expect(documents[0].metadata == #"{"date":"2024-05-01","language":"en","year":2024}"#)
        #expect(documents[0].modified == Date(timeIntervalSince1970: 1_714_521_600))
    }

    @Test func `uses the last line of an identifier`() throws {
        let test = try service("{\"id\": 1, \"body\": \"one\"}\n{\"id\": 1, \"body\": \"two\"}\n")
        let bodies = try test.service.store.pool.read { db in try String.fetchAll(db, sql: "SELECT body FROM document")
        }
        #expect(bodies == ["two"])
    }

    @Test func `reports lines that aren't documents, and indexes the others`() throws {
        let test = try service("{\"body\": \"one\"}\nnot JSON\n[1]\n{\"body\": \"two\"}\n")
        #expect(try test.service.store.pool.read(Document.fetchCount) == 2)
        #expect(test.service.status.current.problem == "Some lines aren't JSON objects with a text.")
    }
}

@Suite struct `A database` {
    @Test func `belongs to one corpus`() throws {
        let test = try TestService()
        let other = test.folder.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        var configuration = test.service.configuration
        configuration.source = .folder(other)
        #expect(throws: ServiceError.self) { try SearchService(configuration, logger: test.service.logger) }
    }

    @Test func `keeps its languages`() throws {
        let test = try TestService()
        var configuration = test.service.configuration
        configuration.languages = ["de"]
        #expect(throws: ServiceError.self) { try SearchService(configuration, logger: test.service.logger) }
    }

    @Test func `of another program isn't changed`() throws {
        let test = try TestService()
        let path = test.folder.appending(path: "other.sqlite").path(percentEncoded: false)
        let other = try DatabaseQueue(path: path)
        try other.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        var configuration = test.service.configuration
        configuration.database = path
        #expect(throws: ServiceError.self) { try SearchService(configuration, logger: test.service.logger) }
        #expect(try other.read { db in try db.tables().map(\.name) } == ["t"])
    }
}
