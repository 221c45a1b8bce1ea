import Amalgam
import Foundation
import Testing

@testable import DocumentSearch

/// The parts of the program, tested separately.
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
                #"[path:"notes/otters.md" title:"Otters of the river" metadata:"{\"folders\":[\"notes\"],\"language\":\"Markdown\",\"lines\":3}"]"#,
                #"[path:"src/deep/heron.txt" title:"heron.txt" metadata:"{\"folders\":[\"src\",\"deep\"],\"language\":\"Text\",\"lines\":1}"]"#,
                #"[path:"src/otter.swift" title:"Counts the otters." metadata:"{\"folders\":[\"src\"],\"language\":\"Swift\",\"lines\":5}"]"#,
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
        #expect(try paths(Query(searchBox: "otters")) == ["src/otter.swift"])
        #expect(try paths(Query(searchBox: "herons")) == ["src/deep/heron.txt", "src/otter.swift"])
        try library.pool.write { db in
            try db.execute(sql: "INSERT INTO documentText (documentText, rank) VALUES ('integrity-check', 1)")
            try db.execute(sql: "INSERT INTO documentWords (documentWords, rank) VALUES ('integrity-check', 1)")
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
        #expect(try paths(Query(searchBox: "caf")) == ["latin1.txt"])
        #expect(try paths(Query(searchBox: "odd")) == ["line\nfeed \u{1B}[31m.txt"])
    }

    /// Unreadable files are skipped and counted. As root, all files are readable.
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
        let result = try library.search(Query(searchBox: "otters"))
        #expect(result.count == 3)
        #expect(result.hits.map(\.path).last == "a.txt")
        #expect(result.hits.map(\.score) == result.hits.map(\.score).sorted(by: >))
        #expect(result.hits[0].title.pieces.contains { $0.isMarked })
    }

    @Test(arguments: [
        ("otters -river", ["src/otter.swift"]),
        ("\"holds hands\"", ["notes/otters.md"]),
        ("river OR heron", ["notes/otters.md", "src/deep/heron.txt"]),
        ("title:counts", ["src/otter.swift"]),
        ("path:deep", ["src/deep/heron.txt"]),
        ("text:let", ["src/otter.swift"]),
        ("still stand*", ["src/deep/heron.txt"]),
    ])
    func theSearchBoxHasASyntax(text: String, found: [String]) throws {
        _ = try index()
        #expect(try paths(Query(searchBox: text)).sorted() == found)
    }

    @Test func theLastWordIsCompleted() throws {
        try folder.write("Herons, herons and a hermit.", to: "birds.txt")
        _ = try index()
        let suggestions = try library.suggestions(for: library.search(Query(searchBox: "title:otter OR HER")))
        #expect(
            suggestions.completions == ["title:otter OR hermit", "title:otter OR heron", "title:otter OR herons"])
        #expect(suggestions.correction == nil)
    }

    @Test func aWordMayHaveTypos() throws {
        try folder.write("Herons, and a hero.", to: "birds.txt")
        _ = try index()
        let result = try library.search(Query(searchBox: "herons -otter"))
        #expect(result.hits.map(\.path) == ["src/deep/heron.txt", "birds.txt"])
        #expect(result.corrections == [Query.Correction(word: "herons", similar: ["hero"])])

        let misspelled = try library.search(Query(searchBox: "text:herno -otter"))
        #expect(misspelled.hits.map(\.path).sorted() == ["birds.txt", "src/deep/heron.txt"])
        #expect(misspelled.corrections == [Query.Correction(word: "herno", similar: ["heron", "hero"])])
        let facets = try library.facets(of: Query(searchBox: "herno -otter"))
        #expect(facets.languages == [FacetCount(value: "Text", count: 2)])
        #expect(try library.search(Query(searchBox: "\"herno\"")).corrections == [])
        #expect(try library.search(Query(raw: "herno")).corrections == [])
    }

    @Test func resultsWithFewerTyposAreFirst() throws {
        try folder.write("# heorn heorn heorn", to: "heorn.md")
        try folder.write("Long before, a heron and another bird stood here.", to: "birds.txt")
        _ = try index()
        let hits = try library.search(Query(searchBox: "heorn")).hits
        #expect(hits.first?.path == "heorn.md")
        #expect(Set(hits.map(\.path)) == ["heorn.md", "birds.txt", "src/deep/heron.txt"])
        #expect(try library.search(Query(searchBox: "heron")).hits.last?.path == "heorn.md")
    }

    @Test func aPhraseMayBeMisspelled() throws {
        _ = try index()
        let suggestions = try library.suggestions(for: library.search(Query(searchBox: "\"holdz hands\" -heron")))
        #expect(suggestions.correction == Suggestions.Correction(text: "\"holds hands\" -heron", count: 1))
        #expect(try library.suggestions(for: library.search(Query(raw: "herno"))) == Suggestions())
    }

    @Test(arguments: ["herno qqxzvb", "\"herno stands\" -heron", "qqxz vbnm"])
    func aCorrectionThatFindsNothingIsNotOffered(text: String) throws {
        _ = try index()
        let result = try library.search(Query(searchBox: text))
        #expect(result.count == 0)
        #expect(try library.suggestions(for: result).correction == nil)
    }

    @Test func facetsCountWhatIsFound() throws {
        _ = try index()
        let found = try library.facets(of: Query(searchBox: "otters"))
        #expect(found.languages == [FacetCount(value: "Markdown", count: 1), FacetCount(value: "Swift", count: 1)])
        #expect(found.folders == [FacetCount(value: "notes", count: 1), FacetCount(value: "src", count: 1)])
        let all = try library.facets(of: nil)
        #expect(all.languages.map(\.value) == ["Markdown", "Swift", "Text"])
        #expect(all.folders.map(\.value) == ["src", "deep", "notes"])
        #expect(all.folders.map(\.count) == [2, 1, 1])
    }

    // MARK: Observation

    @Test func anObservationTellsTheResultsOfAnEdit() async throws {
        _ = try index()
        let query = try Query(searchBox: "heron")
        var hits = library.observe(query).makeAsyncIterator()
        let before = try #require(try await hits.next())
        #expect(before.map { $0.title.pieces.map(\.text) } == [["heron", ".txt"]])
        #expect(before.map(\.reviews) == [0])

        _ = try library.review(documentID: before[0].documentID)
        let after = try #require(try await hits.next())
        #expect(after.map { $0.title.pieces.map(\.text) } == [["heron", ".txt ✓"]])
        #expect(after.map(\.reviews) == [1])
        #expect(after == (try library.search(query).hits))
    }

    // MARK: Audit

    @Test func theTrailHasTheColumnsThatChanged() throws {
        _ = try index()
        let id = try library.search(Query(searchBox: "heron")).hits[0].documentID
        let first = try library.review(documentID: id)
        #expect(first.entry.actor == NSUserName())
        #expect(first.entry.reason == "review 1")
        #expect(first.entry.changes.map(\.columnName) == ["title", "metadata", "body"])
        #expect(first.entry["title"]?.oldValue == "heron.txt".databaseValue)
        #expect(first.entry["title"]?.newValue == "heron.txt ✓".databaseValue)
        #expect(
            first.entry["metadata"]?.newValue
                == #"{"folders":["src","deep"],"language":"Text","lines":1,"reviews":1}"#.databaseValue)
        #expect(first.entry["body"]?.newValue == "A heron stands still.\nAmalgam demo: review 1.\n".databaseValue)
        // The second review doesn't change the title.
        let second = try library.review(documentID: id)
        #expect(second.entry.changes.map(\.columnName) == ["metadata", "body"])
        #expect(second.entryCount == 2)
    }

    @Test func anEditThatIsUndoneLeavesNoTrail() throws {
        _ = try index()
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try library.edit(reason: "none") { db in
                try db.execute(sql: "UPDATE document SET title = 'x'")
                throw Refusal()
            }
        }
        #expect(try entryCount() == 0)
    }

    @Test func indexingLeavesNoTrail() throws {
        _ = try index()
        _ = try library.review(documentID: library.search(Query(searchBox: "heron")).hits[0].documentID)
        try folder.write("let herons = 1\n", to: "src/otter.swift")
        _ = try index()
        #expect(try entryCount() == 1)
    }

    private func entryCount() throws -> Int {
        try library.pool.write { db in
            try db.audit("document")
            defer { try? db.stopAuditing("document") }
            return try AuditLog.Entry.fetchCount(db)
        }
    }

    @Test func aSnapshotReadsTheOldText() throws {
        _ = try index()
        let id = try library.search(Query(searchBox: "heron")).hits[0].documentID
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

    @Test func theDatabaseOfAnOlderVersionIsRefused() throws {
        try library.pool.write { db in try db.execute(sql: "PRAGMA user_version = 1") }
        #expect(throws: Failure.self) { try Library(path: database.path + "/test.sqlite") }
    }
}
