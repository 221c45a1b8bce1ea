#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A copy of a database in a store, which a ``ReplicationService`` keeps up to date.
///
/// ```swift
/// let replica = Replica(
///     bucket: "backups", path: "players", region: "eu-central-1",
///     credentials: ReplicaCredentials(accessKeyID: "AKIAEXAMPLE", secretAccessKey: "example"))
/// ```
///
/// A replica holds one database. Two databases, or two processes, must not replicate to the same path.
public struct Replica: Hashable, Sendable, CustomStringConvertible {
    /// The address of the replica, without credentials.
    public let url: String

    /// The credentials of the store.
    public var credentials: ReplicaCredentials?

    /// The Litestream program, and its environment.
    public var engine: ReplicationEngine

    /// Creates a replica with an address of Litestream, such as `s3://bucket/path`, `file:///path`, `gs://bucket/path`
    /// or `abs://container/path`: <https://litestream.io/reference/config/>.
    ///
    /// ```swift
    /// let replica = Replica(url: "file:///Volumes/Backup/players")
    /// ```
    ///
    /// An address that contains credentials is refused by the methods that use it, and so is `sftp`, whose key Litestream
    /// reads from a configuration file only. Options such as `?sse-kms-key-id=alias/app` are allowed. In a path, `?`, `#`
    /// and `%` are written as `%3F`, `%23` and `%25`. For a `file` address, Litestream doesn't decode them.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - credentials: the credentials of the store. Nil for a folder.
    ///   - engine: the Litestream program.
    public init(url: String, credentials: ReplicaCredentials? = nil, engine: ReplicationEngine = ReplicationEngine()) {
        self.url = url
        self.credentials = credentials
        self.engine = engine
    }

    /// Creates a replica in an S3 bucket.
    ///
    /// ```swift
    /// let replica = Replica(
    ///     bucket: "backups", path: "players", region: "us-east-1", endpoint: "http://127.0.0.1:8333",
    ///     credentials: ReplicaCredentials(accessKeyID: "example", secretAccessKey: "example"))
    /// ```
    ///
    /// - Parameters:
    ///   - bucket: the name of the bucket, which must exist.
    ///   - path: the prefix of the replica's objects, of any characters.
    ///   - region: the region of the bucket.
    ///   - endpoint: the URL of a server other than that of AWS. Buckets are then in the path of requests.
    ///   - credentials: the credentials of the store.
    ///   - engine: the Litestream program.
    public init(
        bucket: String, path: String, region: String, endpoint: String? = nil, credentials: ReplicaCredentials,
        engine: ReplicationEngine = ReplicationEngine()
    ) {
        var url = "s3://\(bucket.encoded())/\(path.encoded(except: "/"))?region=\(region.encoded())"
        if let endpoint { url += "&endpoint=\(endpoint.encoded(except: ":/"))&force-path-style=true" }
        self.init(url: url, credentials: credentials, engine: engine)
    }

    /// The address, without its query.
    public var description: String { String(url.prefix { $0 != "?" }) }

    /// The variables of the processes that use the replica, and no others.
    var environment: [String: String] {
        engine.environment.merging(credentials?.environment ?? [:]) { _, credential in credential }
    }

    /// Throws an error if the address isn't one, or contains credentials.
    func check() throws {
        try ReplicationError.check(path: url, "The address of a replica")
        for (name, value) in environment {
            try ReplicationError.check(
                path: name + value, "The credentials of a replica and the environment of its engine")
        }
        guard let address, let components = URLComponents(string: url) else {
            throw ReplicationError(
                .invalidConfiguration, "The address of a replica is a URL such as s3://bucket/path, not \(self).")
        }
        if address.scheme == "sftp" {
            throw ReplicationError(
                .invalidConfiguration,
                "A replica can't be reached by SFTP: Litestream reads the key from a configuration file only. "
                    + "Use an S3 store, or mount the folder and use a file address.")
        }
        let names = components.queryItems?.map(\.name) ?? []
        if components.password != nil || names.contains(where: Self.isCredential) {
            throw ReplicationError(
                .invalidConfiguration,
                "The address of a replica must not contain credentials, which other processes could see. "
                    + "Pass them as ReplicaCredentials.")
        }
        if components.fragment != nil && address.folder == nil {
            throw ReplicationError(
                .invalidConfiguration, "The address of a replica has no fragment: write # as %23 in \(self).")
        }
    }

    /// Whether the parameter of an address has a secret, by the letters of its name, in either case: `secret-access-key`,
    /// `accountKey`, `SAS_TOKEN`. `sse-kms-key-id` and `key-path` are names, not secrets.
    private static func isCredential(_ name: String) -> Bool {
        let letters = name.lowercased().filter(\.isLetter)
        let secrets = ["secret", "password", "passphrase", "signature", "credential", "accesskey"]
        return secrets.contains(where: letters.contains) || ["key", "token", "sig"].contains(where: letters.hasSuffix)
    }

    /// The parts of the address. Nil if it isn't one.
    var address: ReplicaAddress? { ReplicaAddress(url) }

    func redact(_ text: String) -> String { credentials?.redact(text) ?? text }
}

extension String {
    /// The string with all characters percent-encoded, but for letters, digits, `-._~`, and the given ones.
    fileprivate func encoded(except others: String = "") -> String {
        let unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
        return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: unreserved + others)) ?? self
    }
}
#endif
