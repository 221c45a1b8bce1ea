import Amalgam
import Testing

// This target is built like applications whose code is isolated to the main actor by default: see Package.swift.

private enum Columns: String, ColumnExpression {
    case name, score
}

private enum Keys: String, CodingKey, ColumnExpression {
    case teamName = "team"
}

private struct AnyColumn: ColumnExpression {
    let name: String
}

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var name: String
    var score: Int
    var team: String

    enum Columns: String, CodingKey, ColumnExpression {
        case name, score
    }
}

/// The model of a view.
private final class Scores {
    private(set) var players: [Player] = []
    private let queue: DatabaseQueue

    init(_ queue: DatabaseQueue) { self.queue = queue }

    func reload(_ request: QueryInterfaceRequest<Player>) async throws {
        players = try await queue.read { db in try request.fetchAll(db) }
    }
}

@Suite struct MainActorColumnTests {
    private func makeQueue() async throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try await queue.write { db in
            try db.create(table: "player") { t in
                t.column("name", .text)
                t.column("score", .integer)
                t.column("team", .text)
            }
            try Player(name: "Ann", score: 3, team: "Red").insert(db)
            try Player(name: "Ben", score: 5, team: "Blue").insert(db)
        }
        return queue
    }

    @Test func columnsOfTheMainActor() async throws {
        let scores = try await Scores(makeQueue())
        try await scores.reload(Player.filter(Columns.score > 4))
        #expect(scores.players.map(\.name) == ["Ben"])
        try await scores.reload(Player.filter(Keys.teamName == "Red"))
        #expect(scores.players.map(\.name) == ["Ann"])
        try await scores.reload(Player.order(AnyColumn(name: "score").desc))
        #expect(scores.players.map(\.name) == ["Ben", "Ann"])
    }

    @Test func columnsOfARecord() async throws {
        let queue = try await makeQueue()
        let names = try await queue.read { db in
            try Player.order { $0.score.desc }.select { $0.name }.asRequest(of: String.self).fetchAll(db)
        }
        #expect(names == ["Ben", "Ann"])
    }
}
