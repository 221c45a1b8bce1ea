import Workload

/// A row of `team`, which has twenty players.
struct Team: Codable, FetchableRecord, PersistableRecord {
    var id: Int
    var name: String

    static let players = hasMany(Player.self)
}

/// A row of `player`.
struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int
    var teamId: Int
    var name: String
    var score: Int

    static let team = belongsTo(Team.self)
}

extension Folder {
    func league() throws -> String {
        try fixture(
            LEAGUE_FILE, script: [LEAGUE_TEAMS, LEAGUE_PLAYERS, LEAGUE_INDEX, LEAGUE_FILL_TEAMS, LEAGUE_FILL_PLAYERS])
    }
}
