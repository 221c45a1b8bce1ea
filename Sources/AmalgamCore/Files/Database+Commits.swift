import CAmalgam

extension Database {
    /// What a look at the files of the main database tells of the commits of other connections.
    package struct CommitsOfOthers: Sendable {
        /// The number of `PRAGMA data_version`, which the connection's own commits leave as it is.
        package let dataVersion: UInt32

        /// Whether all that was written before the look is committed and seen, or never will be. Else another look is
        /// needed: the files may not change any more when a commit becomes visible.
        package let isSettled: Bool

        /// Whether the connection has not looked, because it is suspended: it is to look when it is resumed.
        package let isPutOff: Bool
    }

    /// Looks for commits of other connections, in other processes or in this one, without standing in their way.
    ///
    /// A look is free of locks, and takes about a microsecond, unless something has changed. It does not show in a trace.
    /// A suspended connection that must not read does not look: the version is the one it knows.
    ///
    /// A database in memory, or a temporary one, is settled: nobody else can write it.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access; errors of the files.
    package func lookForCommitsOfOthers() throws -> CommitsOfOthers {
        try checkAccess()
        var version: UInt32 = 0
        var isSettled: CInt = 0
        let mayLook = mayRead
        let code = amalgam_look_for_commits(sqliteConnection, mayLook ? 1 : 0, &version, &isSettled)
        guard code == SQLITE_OK else { throw DatabaseError(code: code) }
        return CommitsOfOthers(dataVersion: version, isSettled: isSettled != 0, isPutOff: !mayLook)
    }
}
