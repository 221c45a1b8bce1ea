import AmalgamBackup
public import AmalgamCore
public import Foundation

extension DatabaseQueue {
    /// A database in memory with the content of a file, which stays as it is.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue.inMemoryCopy(fromPath: "/path/to/fixture.sqlite")
    /// ```
    ///
    /// The preparation closures of the configuration run on the copy. With `readonly`, it refuses writing.
    ///
    /// - throws: `SQLITE_CANTOPEN` when there is no such file, `SQLITE_NOTADB` when it is no database; errors
    ///   thrown by the preparation closures.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: ":memory:", copying: path, configuration: configuration)
    }

    /// A temporary database on disk with the content of a file, which stays as it is.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue.temporaryCopy(fromPath: "/path/to/fixture.sqlite")
    /// ```
    ///
    /// SQLite keeps what fits in its page cache, and writes the rest to a file without a name, which goes when the
    /// queue is closed or released: <https://sqlite.org/inmemorydb.html#temp_db>. The preparation closures of the
    /// configuration run on the copy. With `readonly`, it refuses writing.
    ///
    /// - throws: `SQLITE_CANTOPEN` when there is no such file, `SQLITE_NOTADB` when it is no database; errors
    ///   thrown by the preparation closures.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: "", copying: path, configuration: configuration)
    }

    private convenience init(path: String, copying source: String, configuration: Configuration) throws {
        var sourceConfiguration = Configuration()
        sourceConfiguration.readonly = true
        sourceConfiguration.busyMode = configuration.busyMode
        let queue = try DatabaseQueue(path: source, configuration: sourceConfiguration)
        try self.init(path: path, configuration: configuration) { copy in
            try queue.read { try $0.backup(to: copy) }
        }
        try queue.close()
    }

    /// A database in memory with the content of these bytes, those of a file or of ``DatabaseReader/serialize()``.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue(deserializing: Data(contentsOf: url))
    /// ```
    ///
    /// The bytes are copied. No byte is an empty database. The preparation closures of the configuration run on
    /// the copy. With `readonly`, it refuses writing.
    ///
    /// - throws: `SQLITE_NOTADB` or `SQLITE_CORRUPT` when the bytes are no database: see
    ///   ``Database/deserialize(_:schema:readonly:maximumSize:)``; errors thrown by the preparation closures.
    public convenience init(deserializing bytes: Data, configuration: Configuration = Configuration()) throws {
        try self.init(path: ":memory:", configuration: configuration) { db in
            try db.deserialize(bytes, readonly: configuration.readonly)
        }
    }
}
