#if Encryption
public import AmalgamCore

extension Database {
    /// The version of SQLCipher, such as `4.19.0 community`: `PRAGMA cipher_version`.
    ///
    /// ```swift
    /// let version = try dbQueue.read { db in try db.cipherVersion }
    /// ```
    public var cipherVersion: String { get throws { try cipherInformation("cipher_version") } }

    /// The library that does the cryptography, such as `openssl`: `PRAGMA cipher_provider`.
    ///
    /// ```swift
    /// let provider = try dbQueue.read { db in try db.cipherProvider }
    /// ```
    ///
    /// Empty for a database that isn't encrypted.
    public var cipherProvider: String { get throws { try cipherInformation("cipher_provider") } }

    /// The version of the library that does the cryptography: `PRAGMA cipher_provider_version`.
    ///
    /// ```swift
    /// let version = try dbQueue.read { db in try db.cipherProviderVersion }   // OpenSSL 3.0.19 27 Jan 2026
    /// ```
    ///
    /// Empty for a database that isn't encrypted.
    public var cipherProviderVersion: String { get throws { try cipherInformation("cipher_provider_version") } }

    /// `1` if the provider runs in the mode of FIPS 140, `0` if not: `PRAGMA cipher_fips_status`.
    ///
    /// ```swift
    /// let isCertified = try dbQueue.read { db in try db.cipherFipsStatus } == "1"
    /// ```
    ///
    /// Empty for a database that isn't encrypted.
    public var cipherFipsStatus: String { get throws { try cipherInformation("cipher_fips_status") } }

    private func cipherInformation(_ pragma: String) throws -> String {
        try String.fetchOne(self, sql: "PRAGMA \(pragma)") ?? ""
    }
}
#endif
