import Amalgam
import Foundation

/// The connections and files of one program.
final class World {
    /// What a program opens, and how.
    struct Options: Codable, Sendable {
        /// Whether the first connection is a pool; otherwise a queue.
        var isPool = true
        /// Whether the second connection is a pool.
        var isSecondPool = true
        /// The audited tables; nil for no audit.
        var audited: [String]?
        /// Whether triggers fire while actions are undone.
        var firesTriggers = true
        /// Whether the queue is in WAL mode; a pool always is.
        var isWAL = true
    }

    let options: Options
    let folder: URL
    let history: UndoHistory
    private(set) var connections: [(any DatabaseWriter)?] = [nil, nil]

    var path: String { folder.appendingPathComponent("db.sqlite").path }

    init(_ options: Options) throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "amalgam-simulation-\(UUID().uuidString)")
        history = UndoHistory(firesTriggers: options.firesTriggers)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try createSchema()
        } catch {
            removeFiles()
            throw error
        }
    }

    private func createSchema() throws {
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration(options, audits: false))
        try queue.write { db in for sql in Schema.sql { try db.execute(sql: sql) } }
        try queue.close()
    }

    /// The configuration of a connection of the world.
    static func configuration(_ options: Options, audits: Bool = true) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        if options.isWAL || options.isPool || options.isSecondPool { configuration.journalMode = .wal }
        if audits, let tables = options.audited {
            configuration.prepareDatabase { db in try db.audit(tables.map { AuditLog.Table(stringLiteral: $0) }) }
        }
        return configuration
    }

    /// Opens a connection of the world to a database file.
    static func open(_ path: String, isPool: Bool, _ options: Options) throws -> any DatabaseWriter {
        let configuration = configuration(options)
        return isPool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
    }

    /// The connection at a position, which is opened if necessary.
    func connection(_ index: Int) throws -> any DatabaseWriter {
        if let connection = connections[index] { return connection }
        let connection = try Self.open(path, isPool: index == 0 ? options.isPool : options.isSecondPool, options)
        connections[index] = connection
        return connection
    }

    func close(_ index: Int) throws {
        guard let connection = connections[index] else { return }
        try connection.close()
        connections[index] = nil
    }

    func removeFiles() { try? FileManager.default.removeItem(at: folder) }
}
