#if Replication && (os(Linux) || os(macOS))
extension ReplicationError {
    /// Throws an error if a string contains a NUL character. The system would only use the part before it.
    static func check(path: String, _ subject: String) throws {
        if !path.utf8.contains(0) { return }
        throw ReplicationError(.invalidConfiguration, "\(subject) must not contain a NUL character.")
    }
}
#endif
