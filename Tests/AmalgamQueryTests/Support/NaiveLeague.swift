import Amalgam
import Testing

/// The rows of the league in memory, and what associations mean there: loops over arrays, and no SQL.
struct NaiveLeague {
    let rows: [String: [Row]]

    init(_ db: Database) throws {
        var rows: [String: [Row]] = [:]
        for table in ["team", "player", "award", "country", "citizenship"] {
            rows[table] = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
        }
        self.rows = rows
    }

    /// The rows of a table that share a value with another row; none for NULL.
    func matching(_ table: String, _ column: String, _ row: Row, _ otherColumn: String) -> [Row] {
        let value: DatabaseValue = row[otherColumn]
        return value.isNull ? [] : rows[table]!.filter { $0[column] == value }
    }
}

/// From a row of one table to those of another one that belong to it.
typealias Hop = @Sendable (NaiveLeague, Row) -> [Row]

/// An association, and what it means.
struct Step<A: Association>: Sendable {
    let association: A

    /// The name of its rows where they are joined.
    let key: String

    /// From one table to the next one, on the way to that of the association.
    private let hops: [Hop]

    init(_ association: A, _ key: String, _ hops: Hop...) {
        self.association = association
        self.key = key
        self.hops = hops
    }

    /// The rows that belong to another one. Those of an optional association, one of which may be nil: where a way ends
    /// in a table on the way, or in the last one.
    func rows(_ league: NaiveLeague, _ row: Row?, isOptional: Bool) -> [Row?] {
        hops.reduce([row]) { rows, hop in
            rows.flatMap { row -> [Row?] in
                let next = row.map { hop(league, $0) } ?? []
                return next.isEmpty && isOptional ? [nil] : next
            }
        }
    }

    /// The rows that belong to another one.
    func rows(_ league: NaiveLeague, _ row: Row) -> [Row] { rows(league, row, isOptional: false).compactMap(\.self) }
}

enum Steps {
    // From players.
    static let team = Step(Player.team, "team", toTeam)
    static let awards = Step(Player.awards, "award", toAwards)
    static let citizenships = Step(Player.citizenships, "citizenship", toCitizenships)
    static let countries = Step(Player.countries, "country", toCitizenships, toCountry)

    // From teams.
    static let players = Step(Team.players, "player", toPlayers)
    static let awardsOfTeam = Step(Team.awards, "award", toPlayers, toAwards)

    // From awards.
    static let player = Step(Award.player, "player", toPlayer)
    static let teamOfAward = Step(Award.team, "team", toPlayer, toTeam)

    // From countries and citizenships.
    static let citizens = Step(Country.citizenships, "citizenship") {
        $0.matching("citizenship", "countryCode", $1, "code")
    }
    static let citizen = Step(Citizenship.player, "player", toPlayer)
    static let country = Step(Citizenship.country, "country", toCountry)

    // The hops.
    private static let toTeam: Hop = {
        $0.matching("team", "id", $1, "teamId")
    }
    private static let toAwards: Hop = {
        $0.matching("award", "playerId", $1, "id")
    }
    private static let toCitizenships: Hop = {
        $0.matching("citizenship", "playerId", $1, "id")
    }
    private static let toCountry: Hop = {
        $0.matching("country", "code", $1, "countryCode")
    }
    private static let toPlayers: Hop = {
        $0.matching("player", "teamId", $1, "id")
    }
    private static let toPlayer: Hop = {
        $0.matching("player", "id", $1, "playerId")
    }
}
