/// Code that reads bytes of strangers. libFuzzer runs a target in scripts/proof/fuzz, and `FuzzTests` runs it on random changes of its
/// corpus, in Tests/Fuzz/Corpus.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case sandbox
    case patterns
    case searchBox = "search-box"
    case changesets
    case jsonb
    case fullText = "full-text"
    case ranked
    case databaseFiles = "database-files"
    case walFiles = "wal-files"
    case migrations
    case service

    /// Prepares what the inputs of a target share, such as tables. One thread uses a run at a time.
    package func start() throws -> any FuzzRun {
        switch self {
        case .sandbox: try SandboxFuzz()
        case .patterns: try PatternFuzz()
        case .searchBox: try SearchBoxFuzz()
        case .changesets: try ChangesetFuzz()
        case .jsonb: try JSONBFuzz()
        case .fullText: try FullTextFuzz()
        case .ranked: RankedFuzz()
        case .databaseFiles: try DatabaseFileFuzz()
        case .walFiles: try WALFileFuzz()
        case .migrations: MigrationFuzz()
        case .service: ServiceFuzz()
        }
    }
}

/// Runs a target on one input after the other.
package protocol FuzzRun {
    /// Gives the input to the code, which may refuse it.
    ///
    /// - Throws: An error if the code breaks a promise. Errors with which it refuses an input are caught.
    func run(_ input: FuzzInput) throws
}

extension FuzzRun {
    /// Runs the target on an input.
    ///
    /// - Returns: The promise that the code breaks, in words; nil if it keeps all.
    package func brokenPromise(_ bytes: [UInt8]) -> String? {
        do {
            try run(FuzzInput(bytes))
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// A promise that doesn't hold for an input.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: ``BrokenPromise`` if the condition is false.
func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw BrokenPromise(description: description()) }
}
