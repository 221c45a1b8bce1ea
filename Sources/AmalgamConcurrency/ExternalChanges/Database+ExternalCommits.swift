package import AmalgamCore
import CAmalgam

extension Database {
    /// The result of a check of the main database's files for commits of other connections.
    package struct ExternalCommitCheck: Sendable {
        /// The number of `PRAGMA data_version`, which the connection's own commits leave unchanged.
        package let dataVersion: UInt32

        /// Whether all that was written before the check is committed and seen, or never will be. Otherwise another check is
        /// needed: the files may not change any more when a commit becomes visible.
        package let isFinal: Bool

        /// Whether the check is deferred until the connection is resumed, because it is suspended.
        package let isDeferred: Bool
    }

    /// Checks for commits of other connections, in other processes or in this one, without blocking them.
    ///
    /// A check takes no locks, and about a microsecond, unless the files have changed. It does not appear in a trace.
    /// A suspended connection that must not read does not check: the version is the last known one.
    ///
    /// The result for an in-memory or temporary database is final: no other connection can write it.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access; errors of the files.
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
