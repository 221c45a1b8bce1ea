import Workload

/// 50,000 players, each with its team, by one statement.
struct JoinToOne: Case {
    static let name = "join-to-one"

    private struct PlayerInfo: Decodable, FetchableRecord {
        var player: Player
        var team: Team
    }

    let queue: DatabaseQueue

    init(folder: Folder) throws {
        queue = try DatabaseQueue(path: folder.league())
    }

    func run() throws -> Int {
        let infos = try queue.read { db in
            try Player
                .including(required: Player.team)
                .filter(Column("id") <= Int(LEAGUE_JOINED_PLAYERS))
                .asRequest(of: PlayerInfo.self)
                .fetchAll(db)
        }
        var sum = 0
        for info in infos {
            sum &+= info.player.id &+ info.player.score &+ info.player.name.utf8.count
            sum &+= info.team.id &+ info.team.name.utf8.count
        }
        return sum
    }
}
