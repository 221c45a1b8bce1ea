import Amalgam
import AmalgamTesting
import Testing

@testable import DocumentSearch

/// The library on disks that fail, and the SQL that it runs.
@Suite struct FailureTests {
    private func open(_ path: String, on disk: FailingDisk) throws -> Library {
        var configuration = Configuration()
        configuration.disk = disk
        return try Library(path: path, configuration: configuration)
    }

    private func index(_ folder: Folder, in library: Library) throws {
        _ = try library.index(folder: folder.path) { _ in }
    }

    /// Returns the number of documents, and compares the full-text indexes with them.
    private func count(_ library: Library) throws -> Int {
        try library.pool.write { db in
            for index in ["documentText", "documentWords"] {
                try db.execute(sql: "INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
            }
            return try Document.fetchCount(db)
        }
    }

    @Test func aFullDiskLeavesTheDocumentsAsTheyWere() throws {
        let (folder, database) = (try otters(), try Folder())
        let disk = try FailingDisk()
        let library = try open(database.path + "/test.sqlite", on: disk)
        try index(folder, in: library)

        try folder.write(String(repeating: "A heron and an otter. ", count: 50_000), to: "large.txt")
        disk.freeBytes = 200_000
        let error = #expect(throws: DatabaseError.self) { try index(folder, in: library) }
        #expect(error?.resultCode == .SQLITE_FULL)
        #expect(try library.search(Query(searchBox: "heron")).hits.map(\.path) == ["src/deep/heron.txt"])

        disk.recover()
        #expect(try count(library) == 3)
        try index(folder, in: library)
        #expect(try count(library) == 4)
    }

    @Test func eachOperationOfTheIndexingMayFail() throws {
        let folder = try otters()
        let failures = try FailingDisk.everyFailure(.io, stride: 9) { attempt in
            let library = try open(attempt.path("test.sqlite"), on: attempt.disk)
            let result = Result { try attempt.failing { try index(folder, in: library) } }
            switch result {
            case .success: #expect(try count(library) == 3)
            // A commit that reached the WAL file counts, although a later operation failed.
            case .failure: #expect(try [0, 3].contains(count(library)))
            }
            try library.pool.close()
        }
        #expect(failures > 0)
    }

    @Test func aSearchRunsTheSameStatementsForManyDocuments() throws {
        let (folder, database) = (try otters(), try Folder())
        let library = try Library(path: database.path + "/test.sqlite")
        let query = try Query(searchBox: "otters")
        func statements() throws -> [String] {
            try library.pool.read { db in
                try db.recordingSQL { _ = try Hit.best(100, matching: query, db).fetchAll(db) }.map(\.expandedSQL)
            }
        }
        try index(folder, in: library)
        let few = try statements()
        for number in 1...20 { try folder.write("An otter.", to: "otter\(number).txt") }
        try index(folder, in: library)
        #expect(try statements() == few)
        #expect(few.contains { $0.contains("documentText") })
    }

    @Test func documentsAreFoundByTheirPathWithAnIndex() throws {
        let database = try Folder()
        let library = try Library(path: database.path + "/test.sqlite")
        try library.pool.read { db in
            try expectPlan(
                db, sql: "SELECT id FROM document WHERE path = ?", usesIndex: "sqlite_autoindex_document_1")
        }
    }
}
