import Workload

/// 5,000 teams, each with its twenty players, by two statements.
struct PrefetchToMany: Case {
    static let name = "prefetch-to-many"

    private struct TeamInfo: Decodable, FetchableRecord {
        var team: Team
        var players: [Player]
    }

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.league())
    }

    func run() throws -> Int {
        let infos = try queue.read { db in
            try Team.including(all: Team.players).asRequest(of: TeamInfo.self).fetchAll(db)
        }
        var sum = 0
        for info in infos {
            sum &+= info.team.id &+ info.team.name.utf8.count &+ info.players.count
            for player in info.players { sum &+= player.id &+ player.teamId &+ player.score &+ player.name.utf8.count }
        }
        return sum
    }
}
