import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import SearchService

/// A service with a folder of documents and a database, both temporary.
final class TestService: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "SearchServiceTests-\(UUID().uuidString)")
    let service: SearchService

    init(
        _ files: [String: String] = otters, configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (path, text) in files { try Self.write(text, to: folder.appending(path: "documents/\(path)")) }
        var configuration = ServiceConfiguration(
            source: .folder(folder.appending(path: "documents")),
            database: folder.appending(path: "test.sqlite").path(percentEncoded: false))
        configure(&configuration)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        service = try SearchService(configuration, logger: logger)
        service.indexer.scan()
    }

    deinit {
        try? service.sandbox.close()
        try? service.store.pool.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ text: String, to path: String) throws {
        try Self.write(text, to: folder.appending(path: "documents/\(path)"))
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: folder.appending(path: "documents/\(path)"))
    }

    private static func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Calls the handlers, without a network.
    func test<T: Sendable>(_ body: @escaping @Sendable (TestBrowser) async throws -> T) async throws -> T {
        let application = Application(router: try service.router())
        return try await application.test(.router) { client in try await body(TestBrowser(client: client)) }
    }

    /// The identifier of a document.
    func id(_ path: String) throws -> Int64 {
        try #require(
            try service.store.pool.read { db in
                try Int64.fetchOne(db, sql: "SELECT id FROM document WHERE path = ?", arguments: [path])
            })
    }
}

/// Three documents, two of which mention otters.
let otters = [
    "notes/otters.md": "# Otters of the river\n\nAn otter holds hands while it sleeps.\n",
    "src/otter.swift": "// Counts the otters of a lake.\nlet otters = 3\n",
    "src/heron.txt": "A heron stands still near the database.\n",
]
