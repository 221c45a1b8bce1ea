import Amalgam
import AmalgamTesting
import Foundation

struct Team: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String

    enum Columns {
        static let id = Column("id"), name = Column("name")
    }

    static let players = hasMany(Player.self)
}

struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int?
    var teamId: Int64

    enum Columns {
        static let id = Column("id"), name = Column("name"), score = Column("score")
    }
}

extension Database {
    /// Creates two teams, and three players.
    func createTeams() throws {
        try execute(
            sql: """
                CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE player (
                  id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER, teamId INTEGER REFERENCES team(id));
                CREATE INDEX player_on_name ON player(name);
                INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
                INSERT INTO player VALUES (1, 'Anna', 10, 1), (2, 'Bo', 20, 1), (3, 'Cleo', NULL, 1);
                """)
    }
}

/// Opens a queue in memory with teams.
func makeTeams() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in try db.createTeams() }
    return dbQueue
}

/// A temporary folder, removed with the object.
final class Folder {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "AmalgamTestingTests-" + UUID().uuidString)

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// The names of the files, in their order.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}

/// Returns the failure of an expectation, or nil if it is met.
func failure(_ body: () throws -> Void) throws -> ExpectationFailed? {
    do {
        try body()
        return nil
    } catch let failure as ExpectationFailed {
        return failure
    }
}
