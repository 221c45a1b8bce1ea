import AmalgamBackup
public import AmalgamCore
public import Foundation

extension DatabaseQueue {
    /// Opens an in-memory database that is a copy of a database file. The file is not modified.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue.inMemoryCopy(fromPath: "/path/to/fixture.sqlite")
    /// ```
    ///
    /// The preparation closures of the configuration run on the copy. If the configuration is `readonly`, the copy is
    /// read-only. If the file is encrypted, the closures also run on a read-only connection to it; the copy isn't
    /// encrypted.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if the file doesn't exist, `SQLITE_NOTADB` if it isn't a database; errors thrown by
    ///   the preparation closures.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: ":memory:", copying: path, configuration: configuration)
    }

    /// Opens a temporary on-disk database that is a copy of a database file. The file is not modified.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue.temporaryCopy(fromPath: "/path/to/fixture.sqlite")
    /// ```
    ///
    /// SQLite holds pages in its page cache. Pages that don't fit are written to an unnamed file, which is deleted when
    /// the queue is closed: <https://sqlite.org/inmemorydb.html#temp_db>. With the trait `Encryption`, no temporary
    /// database is written to a file. The preparation closures of the configuration run on the copy. If the
    /// configuration is `readonly`, the copy is read-only. If the file is encrypted, the closures also run on a
    /// read-only connection to it.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if the file doesn't exist, `SQLITE_NOTADB` if it isn't a database; errors thrown by
    ///   the preparation closures.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: "", copying: path, configuration: configuration)
    }

    private convenience init(path: String, copying source: String, configuration: Configuration) throws {
        var sourceConfiguration = Configuration()
        sourceConfiguration.readonly = true
        sourceConfiguration.busyMode = configuration.busyMode
        sourceConfiguration.vfsName = configuration.vfsName
        let queue = try Self.openSource(source, sourceConfiguration, configuration)
        try self.init(path: path, configuration: configuration) { copy in
            try queue.read { try $0.backup(to: copy) }
        }
        try queue.close()
    }

    /// Opens the source of a copy. An encrypted one needs the pass phrase that the closures of `prepareDatabase` set.
    private static func openSource(
        _ path: String, _ configuration: Configuration, _ applications: Configuration
    ) throws -> DatabaseQueue {
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch DatabaseError.SQLITE_NOTADB where SQLiteBuild.cipher != nil {
            var prepared = configuration
            applications.preparations.forEach { prepared.prepareDatabase($0) }
            return try DatabaseQueue(path: path, configuration: prepared)
        }
    }

    /// Opens an in-memory database from the bytes of a database file, or from the result of
    /// `DatabaseReader.serialize()`.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue(deserializing: Data(contentsOf: url))
    /// ```
    ///
    /// The bytes are copied. Empty data is an empty database. The preparation closures of the configuration run on the
    /// copy. If the configuration is `readonly`, the copy is read-only.
    ///
    /// - Throws: `SQLITE_NOTADB` or `SQLITE_CORRUPT` if the bytes aren't a database: see
    ///   ``Database/deserialize(_:schema:readonly:maximumSize:)``; errors thrown by the preparation closures.
    public convenience init(deserializing bytes: Data, configuration: Configuration = Configuration()) throws {
        try self.init(path: ":memory:", configuration: configuration) { db in
            try db.deserialize(bytes, readonly: configuration.readonly)
        }
    }
}
