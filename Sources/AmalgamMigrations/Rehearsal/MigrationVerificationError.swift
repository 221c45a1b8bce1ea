/// The error of migrations that fail, or lead to a wrong schema.
/// ``DatabaseMigrator/verify(from:configuration:content:)`` throws this error.
///
/// ```swift
/// do {
///     try migrator.verify()
/// } catch let error as MigrationVerificationError {
///     for failure in error.failures { print(failure.start, failure.reason) }
/// }
/// ```
public struct MigrationVerificationError: Error, Sendable {
    /// A starting point from which migrating fails, or leads to a wrong schema.
    public struct Failure: Sendable {
        /// The starting point: `an empty database`, `version "v2"`, …
        public let start: String

        /// The reason: an error, applied migrations that aren't registered, problems that `PRAGMA integrity_check`
        /// reports, or a difference from the schema of a new database.
        public let reason: String
    }

    /// The failures, in the order of the checks.
    public let failures: [Failure]
}

extension MigrationVerificationError: CustomStringConvertible {
    /// One line for each failure, with the starting point and the reason.
    public var description: String {
        failures.map { "Migrating from \($0.start): \($0.reason)" }.joined(separator: "\n")
    }
}
