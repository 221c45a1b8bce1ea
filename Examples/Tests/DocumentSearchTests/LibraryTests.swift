import Amalgam
import Foundation
import Testing

@testable import DocumentSearch

/// The parts of the job, on their own.
@Suite struct LibraryTests {
    let folder: Folder
    let database: Folder
    let library: Library

    init() throws {
        folder = try otters()
        database = try Folder()
        library = try Library(path: database.path + "/test.sqlite")
    }

    private func index() throws -> IndexSummary { try library.index(folder: folder.path) { _ in } }

    private func paths(_ query: Query) throws -> [String] { try library.search(query).hits.map(\.path) }

    // MARK: Indexing

    @Test func documentsAreDescribed() throws {
        _ = try index()
        let rows = try library.pool.read { db in
            try Row.fetchAll(db, sql: "SELECT path, title, metadata FROM document ORDER BY path").map(\.description)
        }
        #expect(
            rows == [
                #"[path:"notes/otters.md" title:"Otters of the river" metadata:"{"folders":["notes"],"language":"Markdown","lines":3}"]"#,
                #"[path:"src/deep/heron.txt" title:"heron.txt" metadata:"{"folders":["src","deep"],"language":"Text","lines":1}"]"#,
                #"[path:"src/otter.swift" title:"Counts the otters." metadata:"{"folders":["src"],"language":"Swift","lines":5}"]"#,
            ])
    }

    @Test func onlyChangesAreIndexedAgain() throws {
        let first = try index()
        #expect((first.added, first.changed, first.unchanged, first.removed) == (3, 0, 0, 0))

        let second = try index()
        #expect((second.added, second.changed, second.unchanged, second.removed) == (0, 0, 3, 0))
        #expect(second.bytes == 0)

        try folder.touch("src/deep/heron.txt")
        try folder.write("let herons = 1\n", to: "src/otter.swift")
        try folder.remove("notes/otters.md")
        try folder.write("A new file.", to: "new.txt")
        let third = try index()
        #expect((third.added, third.changed, third.unchanged, third.removed) == (1, 1, 1, 1))
        #expect(try paths(Query(words: "otters")) == ["src/otter.swift"])
        #expect(try paths(Query(words: "herons")) == ["src/deep/heron.txt", "src/otter.swift"])
        try library.pool.write { db in
            try db.execute(sql: "INSERT INTO documentText (documentText, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test func whatIsNotTextIsSkippedAndCounted() throws {
        try folder.write(Data([1, 2, 0]), to: "zero.bin")
        try folder.write(Data(repeating: 65, count: 9000) + [0], to: "late-zero.bin")
        try folder.write(Data([0x63, 0x61, 0x66, 0xE9]), to: "latin1.txt")
        try folder.write("", to: "empty.txt")
        try folder.write("secret", to: ".hidden")
        try folder.link("circle", to: ".")
        try folder.link("dangling.txt", to: "nowhere")
        try folder.write("odd", to: "line\nfeed \u{1B}[31m.txt")
        let summary = try index()
        #expect(summary.added == 6)
        #expect(summary.skipped[.binary] == 2)
        #expect(try paths(Query(words: "caf")) == ["latin1.txt"])
        #expect(try paths(Query(words: "odd")) == ["line\nfeed \u{1B}[31m.txt"])
    }

    /// Nothing is unreadable for root.
    @Test(.enabled(if: getuid() != 0)) func unreadableFilesAreSkippedAndCounted() throws {
        try folder.write("locked", to: "locked/inside.txt")
        try folder.write("locked", to: "locked.txt")
        for path in ["locked", "locked.txt"] {
            let file = folder.url.appending(path: path).path(percentEncoded: false)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
        }
        let summary = try index()
        #expect(summary.added == 3)
        #expect(summary.skipped[.unreadable] == 2)
    }

    // MARK: Queries

    @Test func titlesCountMoreThanText() throws {
        try folder.write("heron heron heron and otter", to: "a.txt")
        _ = try index()
        let result = try library.search(Query(words: "otters"))
        #expect(result.count == 3)
        #expect(result.hits.map(\.path).last == "a.txt")
        #expect(result.hits.map(\.score) == result.hits.map(\.score).sorted(by: >))
        #expect(result.hits[0].title.marked.contains("\u{2}"))
    }

    @Test func metadataIsQueriedAsJSON() throws {
        _ = try index()
        #expect(try library.languages().rows.map(\.name) == ["Markdown", "Swift", "Text"])
        #expect(try library.languages().rows.map(\.lines) == [3, 5, 1])
        let folders = try library.folders().rows
        #expect(folders.map(\.name) == ["src", "deep", "notes"])
        #expect(folders.map(\.documents) == [2, 1, 1])
        #expect(folders.map(\.lines) == [6, 1, 3])
    }

    // MARK: Audit

    @Test func theTrailHasTheColumnsThatChanged() throws {
        _ = try index()
        let id = try library.search(Query(words: "heron")).hits[0].documentID
        let first = try library.review(documentID: id)
        #expect(
            first.trail == [
                AuditEntry(column: "title", old: "heron.txt".databaseValue, new: "heron.txt ✓".databaseValue),
                AuditEntry(
                    column: "metadata",
                    old: #"{"folders":["src","deep"],"language":"Text","lines":1}"#.databaseValue,
                    new: #"{"folders":["src","deep"],"language":"Text","lines":1,"reviews":1}"#.databaseValue),
                AuditEntry(
                    column: "body", old: "A heron stands still.\n".databaseValue,
                    new: "A heron stands still.\nAmalgam demo: review 1.\n".databaseValue),
            ])
        // The second review leaves the title as it is.
        let second = try library.review(documentID: id)
        #expect(second.trail.map(\.column) == ["metadata", "body"])
    }

    @Test func anEditThatIsUndoneLeavesNoTrail() throws {
        _ = try index()
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try library.pool.write { db in
                try audited(db) { try db.execute(sql: "UPDATE document SET title = 'x'") }
                throw Refusal()
            }
        }
        #expect(try library.lastAuditID() == 0)
    }

    @Test func aSnapshotReadsTheOldText() throws {
        _ = try index()
        let id = try library.search(Query(words: "heron")).hits[0].documentID
        let review = try library.review(documentID: id)
        let old = Review.View(lastLine: "A heron stands still.", matches: 0)
        #expect(review.snapshotDuringWrite == old)
        #expect(review.snapshotAfterCommit == old)
        #expect(review.poolAfterCommit == Review.View(lastLine: "Amalgam demo: review 1.", matches: 1))
    }

    // MARK: The database

    @Test func theDatabaseOfAnotherProgramIsRefused() throws {
        let path = database.path + "/other.sqlite"
        try DatabaseQueue(path: path).write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        #expect(throws: Failure.self) { try Library(path: path) }
        let mode = try DatabaseQueue(path: path).read { db in try String.fetchOne(db, sql: "PRAGMA journal_mode") }
        #expect(mode == "delete")
    }
}
