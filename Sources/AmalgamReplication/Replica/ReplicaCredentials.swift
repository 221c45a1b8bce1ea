#if Replication && (os(Linux) || os(macOS))
/// The credentials of a replica's store. They are passed to Litestream in the environment of its process, and occur in
/// no file, log message, error or argument list.
///
/// ```swift
/// let credentials = ReplicaCredentials(accessKeyID: "AKIAEXAMPLE", secretAccessKey: "example")
/// print(credentials)   // ReplicaCredentials(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)
/// ```
public struct ReplicaCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The environment variables of the process.
    let environment: [String: String]

    /// Creates the credentials of an S3 store.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        var environment = ["AWS_ACCESS_KEY_ID": accessKeyID, "AWS_SECRET_ACCESS_KEY": secretAccessKey]
        environment["AWS_SESSION_TOKEN"] = sessionToken
        self.environment = environment
    }

    /// Creates credentials from the environment variables by which Litestream receives those of another kind of store:
    /// <https://litestream.io/guides/>.
    ///
    /// ```swift
    /// let credentials = ReplicaCredentials(environment: ["AZURE_STORAGE_KEY": "example"])
    /// ```
    public init(environment: [String: String]) { self.environment = environment }

    public var description: String { "ReplicaCredentials(\(environment.keys.sorted().joined(separator: ", ")))" }

    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the string with the values of the credentials replaced.
    func redact(_ text: String) -> String {
        environment.values.reduce(text) { text, value in
            if value.count < 4 { return text }
            return text.split(separator: value, omittingEmptySubsequences: false).joined(separator: "***")
        }
    }
}
#endif
