import Amalgam
import Foundation

/// The whole program, from the arguments to the exit code. It indexes a folder, searches it, counts results by facets,
/// edits a document under audit, receives the edit through an observation, and reads the document from a snapshot.
public struct Demo {
    let options: Options
    let terminal: Terminal

    /// Runs the program.
    ///
    /// - Returns: 0; 1 if an operation failed; 2 if the arguments or the query are invalid.
    public static func run(arguments: [String], on terminal: Terminal) async -> Int32 {
        do {
            let options = try Options(arguments)
            if options.showsHelp {
                terminal.write(Options.help)
            } else {
                try await Demo(options: options, terminal: terminal).run()
            }
            return 0
        } catch {
            let failure = Failure(error)
            terminal.complain(failure)
            return failure.exitCode
        }
    }

    private func run() async throws {
        guard let path = options.database else {
            return try await inTemporaryFolder { try await run(databaseAt: $0) }
        }
        try await run(databaseAt: path)
        terminal.line()
        terminal.line(terminal.dim("Kept in \(path.printable). The next run re-indexes what has changed since."))
    }

    /// Runs the seven sections in order.
    private func run(databaseAt path: String) async throws {
        let query = options.isRaw ? Query(raw: options.query) : try Query(searchBox: options.query)
        let library = try Library(path: path)
        try library.check(query)

        terminal.report(Engine())
        let index = try showingProgress { try library.index(folder: options.corpus, progress: $0) }
        terminal.report(index)
        let result = try library.search(query)
        terminal.report(result, try library.suggestions(for: result))
        terminal.report(try library.facets(of: result.count == 0 ? nil : query), of: result)
        guard let id = try result.hits.first?.documentID ?? library.anyDocumentID() else {
            return terminal.line("\n  There is no document to edit.")
        }
        try await edit(documentID: id, in: library, observing: query)
    }

    /// Edits a document. An observation delivers a value when it starts, and the next one because of the edit.
    private func edit(documentID: Int64, in library: Library, observing query: Query) async throws {
        var hits = library.observe(query).makeAsyncIterator()
        let before = try await hits.next() ?? []
        let review = try library.review(documentID: documentID)
        let after = try await hits.next() ?? []
        terminal.report(review)
        terminal.report(before, after)
        terminal.report(snapshotOf: review)
    }

    private func showingProgress<T>(_ work: (@escaping (IndexProgress) -> Void) throws -> T) throws -> T {
        terminal.section("Indexing \(options.corpus.printable)")
        let bar = ProgressBar(terminal)
        defer { bar.clear() }
        return try work(bar.show)
    }

    private func inTemporaryFolder(_ work: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "amalgam-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await work(folder.appending(path: "demo.sqlite").path(percentEncoded: false))
    }
}
