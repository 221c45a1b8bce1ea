#if Macros
import Amalgam

// The records of `createTeams()`, by macros. The scenarios of FaultTests with records run with them too: this folder has
// links to their files. Without the trait `Macros`, it has no tests.

@Record
struct Team {
    @Key var id: Int64?
    var name: String

    static let players = hasMany(Player.self)
}

@Record
struct Player {
    @Key var id: Int64?
    var name: String
    var score: Double?
    var teamId: Int64?

    static let team = belongsTo(Team.self)
}
#endif
