/// Paths of migrations that do not lead where they should: see ``DatabaseMigrator/verify(from:configuration:content:)``.
public struct MigrationVerificationError: Error, Sendable {
    /// A path that does not lead where it should.
    public struct Failure: Sendable {
        /// What the path starts from: `an empty database`, `version "v2"`, …
        public let start: String

        /// What went wrong: an error, or a difference to the schema of a new database.
        public let reason: String
    }

    /// One for each path, in the order in which they were tried.
    public let failures: [Failure]
}

extension MigrationVerificationError: CustomStringConvertible {
    /// What each path starts from, and what went wrong.
    public var description: String {
        failures.map { "Migrating from \($0.start): \($0.reason)" }.joined(separator: "\n")
    }
}
