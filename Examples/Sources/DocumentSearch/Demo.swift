import Foundation

/// The whole job, from the arguments to the exit code: it indexes a folder, searches it, queries its metadata, edits a
/// document under audit, and looks at the edit from a snapshot.
public struct Demo {
    let options: Options
    let terminal: Terminal

    /// - Returns: 0; 1 when something failed; 2 when the arguments or the query make no sense.
    public static func run(arguments: [String], on terminal: Terminal) -> Int32 {
        do {
            let options = try Options(arguments)
            if options.showsHelp {
                terminal.write(Options.help)
            } else {
                try Demo(options: options, terminal: terminal).run()
            }
            return 0
        } catch {
            let failure = Failure(error)
            terminal.complain(failure)
            return failure.exitCode
        }
    }

    private func run() throws {
        guard let path = options.database else { return try inTemporaryFolder { try run(databaseAt: $0) } }
        try run(databaseAt: path)
        terminal.line()
        terminal.line(terminal.dim("Kept in \(path.printable). The next run re-indexes what has changed since."))
    }

    /// The six sections, in their order.
    private func run(databaseAt path: String) throws {
        let query = options.isRaw ? Query(raw: options.query) : try Query(words: options.query)
        let library = try Library(path: path)
        try library.check(query)

        terminal.report(Engine())
        let index = try showingProgress { try library.index(folder: options.corpus, progress: $0) }
        terminal.report(index)
        let result = try library.search(query)
        terminal.report(result)
        try terminal.report(library.languages(), library.folders())
        guard let id = try result.hits.first?.documentID ?? library.anyDocumentID() else {
            return terminal.line("\n  There is no document to edit.")
        }
        let review = try library.review(documentID: id)
        terminal.report(review)
        terminal.report(snapshotOf: review)
    }

    private func showingProgress<T>(_ work: (@escaping (IndexProgress) -> Void) throws -> T) throws -> T {
        terminal.section("Indexing \(options.corpus.printable)")
        let bar = ProgressBar(terminal)
        defer { bar.clear() }
        return try work(bar.show)
    }

    private func inTemporaryFolder(_ work: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "amalgam-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try work(folder.appending(path: "demo.sqlite").path(percentEncoded: false))
    }
}
