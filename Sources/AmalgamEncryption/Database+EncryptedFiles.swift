#if Encryption
import AmalgamConcurrency
public import AmalgamCore
import CAmalgam
public import Foundation

extension Database {
    /// Attaches a database file with its own pass phrase.
    ///
    /// ```swift
    /// try dbQueue.inDatabase { db in
    ///     try db.attach(path: "/path/to/archive.sqlite", as: "archive", passphrase: loadArchivePassphrase())
    ///     let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM archive.player")
    /// }
    /// // ATTACH DATABASE ? AS ? KEY ?
    /// ```
    ///
    /// The file is created if it doesn't exist. Trace closures don't receive the statement. Without this method,
    /// `ATTACH DATABASE … AS …` gives a new file the key of the main database, and can't open one with another salt;
    /// `KEY ''` attaches a clear file: <https://www.zetetic.net/sqlcipher/sqlcipher-api/#attach>.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: The name of the schema.
    ///   - passphrase: The pass phrase, as UTF-8; nil for a file without encryption.
    /// - Throws: `SQLITE_NOTADB` if the pass phrase is wrong; `SQLITE_MISUSE` if it is empty; `SQLITE_ERROR` in a
    ///   transaction, or if the name is in use; `SQLITE_CANTOPEN`.
    public func attach(path: String, as name: String, passphrase: String?) throws {
        try attach(path, name, passphrase.map { EncryptionKey(passphrase: $0) })
    }

    /// Attaches a database file with its own pass phrase, given as bytes.
    ///
    /// ```swift
    /// try db.attach(path: "/path/to/archive.sqlite", as: "archive", passphrase: loadArchivePassphraseData())
    /// ```
    ///
    /// - Throws: The errors of ``attach(path:as:passphrase:)-(_,_,String?)``.
    public func attach(path: String, as name: String, passphrase: some ContiguousBytes) throws {
        try attach(path, name, EncryptionKey(passphrase: passphrase))
    }

    func attach(_ path: String, _ name: String, _ key: EncryptionKey?) throws {
        try checkAccess()
        try Self.checkName(path)
        try Self.checkName(name)
        try checkMayRead()
        try key.map(checkIsUsable)
        let code =
            key?.withBytes { amalgam_attach(sqliteConnection, path, name, $0, $1) }
            ?? amalgam_attach(sqliteConnection, path, name, nil, 0)
        if code != SQLITE_OK {
            throw ResultCode(rawValue: code).primaryResultCode == .SQLITE_NOTADB
                ? Self.notADatabase(path) : error(code)
        }
        schemaDidChange()
    }

    /// Checks that each page of an encrypted database has the code (HMAC) that only the key can make.
    ///
    /// ```swift
    /// let problems = try dbQueue.read { db in try db.checkCipherIntegrity() }
    /// // PRAGMA cipher_integrity_check
    /// ```
    ///
    /// The check reads the whole file, and no page of the WAL file, which has newer pages of the file until the next
    /// checkpoint. It finds pages that were changed without the key,
    /// not those that were replaced by an older state of the same page. ``Database/integrityCheck(_:in:limit:)`` checks
    /// the content of the pages.
    ///
    /// - Returns: SQLCipher's descriptions of the damaged pages. The array is empty for an intact file.
    /// - Throws: `SQLITE_MISUSE` if the database isn't encrypted; `SQLITE_BUSY` if pages of the file don't have the code,
    ///   and the WAL file has newer pages, such as those of another pass phrase: run a checkpoint, and check again; I/O
    ///   errors.
    public func checkCipherIntegrity() throws -> [String] {
        try checkAccess()
        if !isEncrypted {
            throw DatabaseError.misuse("The database isn't encrypted.")
        }
        let hadPendingFrames = hasPendingFrames
        let problems = try String.fetchAll(self, sql: "PRAGMA cipher_integrity_check")
        if !problems.isEmpty && (hadPendingFrames || hasPendingFrames) {
            throw DatabaseError(
                resultCode: .SQLITE_BUSY,
                message: """
                    \(problems.count) pages of the file don't have the code of the key, but the WAL file has newer pages, \
                    such as those of another pass phrase. Run checkpoint(.truncate), and check again.
                    """)
        }
        return problems
    }

    /// Whether the WAL file has frames that aren't in the database file.
    private var hasPendingFrames: Bool { walState.map { !$0.isCheckpointed } ?? false }
}
#endif
