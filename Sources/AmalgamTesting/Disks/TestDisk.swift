public import AmalgamCore

/// A disk for tests: a VFS below SQLite, through which a database under test accesses its files.
///
/// ```swift
/// let disk = try FailingDisk()
/// var config = Configuration()
/// config.disk = disk
/// let dbQueue = try DatabaseQueue(path: path, configuration: config)
/// ```
///
/// ``FailingDisk`` and ``PowerLossDisk`` conform. A test can adopt the protocol for a VFS that it has registered itself, with
/// `sqlite3_vfs_register`: <https://sqlite.org/c3ref/vfs_find.html>. The object retains what the VFS needs.
public protocol TestDisk: Sendable {
    /// The name of the registered VFS.
    var vfsName: String { get }
}

private enum DiskKey: ConfigurationKey {
    typealias Value = any TestDisk
}

extension Configuration {
    /// The disk of the database, of its journals, of attached databases and of temporary files. Nil, the default, is the
    /// disk of the system.
    ///
    /// ```swift
    /// let disk = try FailingDisk()
    /// var config = Configuration()
    /// config.disk = disk
    /// ```
    ///
    /// Connections retain the disk. Setting it also sets `vfsName`.
    public var disk: (any TestDisk)? {
        get { self[DiskKey.self] }
        set {
            self[DiskKey.self] = newValue
            vfsName = newValue?.vfsName
        }
    }
}
