#if Encryption
public import AmalgamCore
import CAmalgam
public import Foundation

extension Database {
    /// Sets the pass phrase of an encrypted database, or of a new database that will be encrypted.
    ///
    /// Call this method first in `prepareDatabase`, so that each connection gets the pass phrase:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.usePassphrase(loadPassphrase())
    /// }
    /// let dbQueue = try DatabaseQueue(path: "/path/to/secret.sqlite", configuration: config)
    /// ```
    ///
    /// Load the pass phrase each time from where it is stored, such as a keychain: later connections get the current
    /// one, and it isn't in memory all the time. SQLCipher derives the key of the database from the pass phrase and
    /// from a salt, the first 16 bytes of the file. This takes about 0.1 s on purpose, but only once for all
    /// connections of a pool: the last derived keys are kept while an encrypted database is open in the process.
    ///
    /// A pass phrase of the form `x'…'` with 64 or 96 hexadecimal digits is a raw key: see ``useRawKey(_:salt:)``.
    /// Settings of SQLCipher follow the pass phrase, such as `PRAGMA cipher_page_size = 8192`. They aren't stored in
    /// the file: <https://www.zetetic.net/sqlcipher/sqlcipher-api/>.
    ///
    /// The first read detects a wrong pass phrase, not this method. Opening a queue or a pool reads the database, and
    /// throws `SQLITE_NOTADB`. A copy in memory, such as that of `DatabaseQueue.inMemoryCopy(fromPath:)`, ignores
    /// the pass phrase that opens its source.
    ///
    /// - Parameter passphrase: The pass phrase, as UTF-8. It isn't normalised.
    /// - Throws: `SQLITE_MISUSE` if the pass phrase is empty, if the connection has already read the database, or if
    ///   the database isn't a file.
    public func usePassphrase(_ passphrase: String) throws { try use(EncryptionKey(passphrase: passphrase)) }

    /// Sets the pass phrase of an encrypted database, as bytes.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     var passphrase = try loadPassphraseData()
    ///     defer { passphrase.resetBytes(in: 0..<passphrase.count) }
    ///     try db.usePassphrase(passphrase)
    /// }
    /// ```
    ///
    /// The bytes of a string in UTF-8 are the same pass phrase as the string.
    ///
    /// - Parameter passphrase: The pass phrase as `Data`, an array of bytes, or another type of contiguous bytes.
    /// - Throws: The errors of ``usePassphrase(_:)-(String)``.
    public func usePassphrase(_ passphrase: some ContiguousBytes) throws {
        try use(EncryptionKey(passphrase: passphrase))
    }

    /// Sets the key of an encrypted database, without deriving it from a pass phrase.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     try db.useRawKey(loadKey())
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: 32 random bytes.
    ///   - salt: 16 bytes, which the application stores itself; needed if the first bytes of the file are clear text
    ///     (`PRAGMA cipher_plaintext_header_size`). Otherwise, the file contains the salt.
    /// - Throws: `SQLITE_MISUSE` for another number of bytes; the errors of ``usePassphrase(_:)-(String)``.
    public func useRawKey(_ key: some ContiguousBytes, salt: (some ContiguousBytes)? = Data?.none) throws {
        try use(EncryptionKey(raw: key, salt: salt))
    }

    private func use(_ key: EncryptionKey) throws {
        try checkAccess()
        try checkIsUsable(key)
        if filePath() == nil {
            if access.wasFilled { return }
            throw DatabaseError.misuse("A database in memory isn't encrypted, so it can't have a pass phrase.")
        }
        let state = amalgam_key_state(sqliteConnection, "main")
        if state == CInt(AMALGAM_KEY_USED) || state == CInt(AMALGAM_KEY_CLEAR) {
            throw DatabaseError.misuse(
                "The connection has already read the database: set the pass phrase first in Configuration.prepareDatabase."
            )
        }
        let code = key.withBytes { amalgam_use_key(sqliteConnection, "main", $0, $1) }
        if code != SQLITE_OK { throw DatabaseError(code: code) }
    }

    /// Encrypts all pages of the database with the key of another pass phrase.
    ///
    /// ```swift
    /// try dbQueue.changePassphrase("new pass phrase")
    ///
    /// // The same with the methods of a connection:
    /// try dbPool.barrierWriteWithoutTransaction { db in
    ///     try db.changePassphrase("newer pass phrase")
    ///     dbPool.invalidateReadOnlyConnections()
    /// }
    /// ```
    ///
    /// After the change, `prepareDatabase` must set the new pass phrase. `DatabaseWriter.changePassphrase(_:)` also
    /// closes the readers of a pool. A read that runs on another connection goes on to the end of its transaction;
    /// later ones throw `SQLITE_NOTADB`. The guide "Encryption" shows a change that the end of the process doesn't
    /// harm.
    ///
    /// The change is one transaction, which reads and writes each page. If it fails or the process ends, the old pass
    /// phrase stays. In WAL mode, the WAL file grows by the size of the database until the next checkpoint.
    ///
    /// Inside a transaction that hasn't written, such as that of `write`, the change is committed at once, and the
    /// transaction goes on. A rollback doesn't bring the old pass phrase back.
    ///
    /// - Parameter passphrase: The new pass phrase, as UTF-8.
    /// - Throws: `SQLITE_MISUSE` if the pass phrase is empty, if the database isn't encrypted, inside a transaction
    ///   that has written, inside a savepoint, and while a cursor of the connection is being read; `SQLITE_READONLY` if
    ///   the database can't be written; `SQLITE_BUSY` if another connection writes; I/O errors.
    public func changePassphrase(_ passphrase: String) throws { try change(EncryptionKey(passphrase: passphrase)) }

    /// Encrypts all pages of the database with the key of another pass phrase, given as bytes.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in try db.changePassphrase(loadNewPassphraseData()) }
    /// ```
    ///
    /// - Throws: The errors of ``changePassphrase(_:)-(String)``.
    public func changePassphrase(_ passphrase: some ContiguousBytes) throws {
        try change(EncryptionKey(passphrase: passphrase))
    }

    /// Encrypts all pages of the database with another key, which isn't derived from a pass phrase.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in try db.changeRawKey(loadNewKey()) }
    /// ```
    ///
    /// The salt of the file stays.
    ///
    /// - Parameter key: 32 random bytes.
    /// - Throws: `SQLITE_MISUSE` for another number of bytes; the errors of ``changePassphrase(_:)-(String)``.
    public func changeRawKey(_ key: some ContiguousBytes) throws {
        try change(EncryptionKey(raw: key, salt: Data?.none))
    }

    private func change(_ key: EncryptionKey) throws {
        try checkAccess()
        try checkIsUsable(key)
        if isReadOnlyAccess { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        try checkMayWrite()
        if !isEncrypted {
            throw DatabaseError.misuse(
                "The database isn't encrypted: export(to:passphrase:) makes an encrypted copy of it.")
        }
        let code = key.withBytes { amalgam_change_key(sqliteConnection, "main", $0, $1) }
        if code == SQLITE_MISUSE {
            throw DatabaseError.misuse(
                """
                The pass phrase can't be changed in a transaction that has written, in a savepoint, or while a cursor is \
                being read: change it in a separate database access.
                """)
        }
        if code != SQLITE_OK { throw DatabaseError(code: code) }
    }

    /// Whether the main database has a key.
    var isEncrypted: Bool {
        [CInt(AMALGAM_KEY_UNUSED), CInt(AMALGAM_KEY_USED)].contains(amalgam_key_state(sqliteConnection, "main"))
    }

    func checkIsUsable(_ key: EncryptionKey) throws {
        if key.isEmpty { throw DatabaseError.misuse("The pass phrase is empty.") }
    }
}

extension DatabaseError {
    static func misuse(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message)
    }
}
#endif
