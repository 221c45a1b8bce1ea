package import AmalgamCore
import CAmalgam

extension Database {
    /// The result of a check of the main database's files for commits of other connections.
    package struct ExternalCommitCheck: Sendable {
        /// The value of `PRAGMA data_version`, which doesn't change when the connection itself commits.
        package let dataVersion: UInt32

        /// Whether the check has found all commits so far. If false, another check is needed.
        ///
        /// The value is false while another connection writes, because its commit may become visible without a further
        /// change of the files. It is also false if commits couldn't be detected: during a transaction or statement of
        /// this connection, because of a lock, or because the check is deferred.
        package let isFinal: Bool

        /// Whether the check is deferred until the suspended connection is resumed.
        package let isDeferred: Bool
    }

    /// Checks for commits of other connections, in other processes or in this one. The check doesn't block these
    /// connections.
    ///
    /// If the files haven't changed, a check acquires no locks, and takes about a microsecond. SQLite's trace doesn't
    /// report checks. If the connection is suspended and can't read, the method returns the last known version.
    ///
    /// No other connection can write to an in-memory or temporary database. For such a database,
    /// ``ExternalCommitCheck/isFinal`` is true, unless the check is deferred.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access; I/O errors.
    package func checkForExternalCommits() throws -> ExternalCommitCheck {
        try checkAccess()
        var version: UInt32 = 0
        var isFinal: CInt = 0
        let mayCheck = mayRead
        let code = amalgam_look_for_commits(sqliteConnection, mayCheck ? 1 : 0, &version, &isFinal)
        guard code == SQLITE_OK else { throw DatabaseError(code: code) }
        return ExternalCommitCheck(dataVersion: version, isFinal: isFinal != 0, isDeferred: !mayCheck)
    }
}
