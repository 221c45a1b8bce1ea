#if Encryption
public import AmalgamConcurrency
import AmalgamCore
public import Foundation

extension DatabaseWriter {
    /// Encrypts all pages of the database with the key of another pass phrase.
    ///
    /// ```swift
    /// try keychain.save("new pass phrase", as: "next")         // in case the process ends now
    /// let openSnapshots = try dbPool.changePassphrase("new pass phrase")
    /// try keychain.save("new pass phrase", as: "passphrase")   // for prepareDatabase
    /// ```
    ///
    /// The method waits for all other accesses, changes the pass phrase, and closes the readers of a pool, so that
    /// later ones run `prepareDatabase` again. A reader that is opened before the new pass phrase is stored throws
    /// `SQLITE_NOTADB`: the guide "Encryption" shows how both are done in one barrier.
    ///
    /// The method doesn't wait for snapshots: a snapshot reads what it has pinned with the old pass phrase, to the end
    /// of its transaction. A snapshot pool may need a new connection, which throws `SQLITE_NOTADB`. Release snapshots
    /// before, or create new ones afterwards.
    ///
    /// - Parameter passphrase: The new pass phrase, as UTF-8.
    /// - Returns: The names of the open snapshots, for logs. Empty for a queue.
    /// - Throws: The errors of ``Database/changePassphrase(_:)-(String)``; `SQLITE_MISUSE` from inside
    ///   another database access.
    @discardableResult
    public func changePassphrase(_ passphrase: String) throws -> [String] {
        try changeKey { try $0.changePassphrase(passphrase) }
    }

    /// Encrypts all pages of the database with the key of another pass phrase, given as bytes.
    ///
    /// ```swift
    /// try dbPool.changePassphrase(loadNewPassphraseData())
    /// ```
    ///
    /// - Returns: The names of the open snapshots.
    /// - Throws: The errors of ``changePassphrase(_:)-(String)``.
    @discardableResult
    public func changePassphrase(_ passphrase: some ContiguousBytes) throws -> [String] {
        try changeKey { try $0.changePassphrase(passphrase) }
    }

    /// Encrypts all pages of the database with another key, which isn't derived from a pass phrase.
    ///
    /// ```swift
    /// try dbPool.changeRawKey(loadNewKey())
    /// ```
    ///
    /// - Parameter key: 32 random bytes.
    /// - Returns: The names of the open snapshots.
    /// - Throws: `SQLITE_MISUSE` for another number of bytes; the errors of ``changePassphrase(_:)-(String)``.
    @discardableResult
    public func changeRawKey(_ key: some ContiguousBytes) throws -> [String] {
        try changeKey { try $0.changeRawKey(key) }
    }

    private func changeKey(_ change: (Database) throws -> Void) throws -> [String] {
        let pool = unerased as? DatabasePool
        return try barrierWriteWithoutTransaction { db in
            try change(db)
            // Inside the barrier, so that no read begins on a reader with the old key.
            pool?.invalidateReadOnlyConnections()
            return pool?.snapshotNames ?? []
        }
    }
}

extension DatabaseQueue {
    /// Encrypts all pages of the database with the key of another pass phrase.
    ///
    /// ```swift
    /// try dbQueue.change(passphrase: "new pass phrase")
    /// ```
    ///
    /// - Throws: The errors of ``DatabaseWriter/changePassphrase(_:)-(String)``.
    @available(*, deprecated, renamed: "changePassphrase(_:)")
    public func change(passphrase: String) throws { try changePassphrase(passphrase) }
}
#endif
