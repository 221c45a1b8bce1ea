#if Replication && (os(Linux) || os(macOS))
extension ReplicationError {
    /// Throws an error if a string contains a NUL character. The system would use the part before it, which is another path.
    static func check(path: String, _ subject: String) throws {
        if !path.utf8.contains(0) { return }
        throw ReplicationError(.invalidConfiguration, "\(subject) must not contain a NUL character.")
    }
}
#endif
