import Amalgam
import Testing

/// The rows of the league in memory, with associations implemented by loops over arrays instead of SQL.
struct NaiveLeague {
    let rows: [String: [Row]]

    init(_ db: Database) throws {
        var rows: [String: [Row]] = [:]
        for table in ["team", "player", "award", "country", "citizenship"] {
            rows[table] = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
        }
        self.rows = rows
    }

    /// Returns the rows of a table that share a value with another row; none for NULL.
    func matching(_ table: String, _ column: String, _ row: Row, _ otherColumn: String) -> [Row] {
        let value: DatabaseValue = row[otherColumn]
        return value.isNull ? [] : rows[table]!.filter { $0[column] == value }
    }
}

/// Returns the rows of a table that belong to a row of another table.
typealias Hop = @Sendable (NaiveLeague, Row) -> [Row]

/// An association, and its implementation by loops.
struct Step<A: Association>: Sendable {
    let association: A

    /// The key of its rows in a joined row.
    let key: String

    /// The hops from one table to the next, up to the table of the association.
    private let hops: [Hop]

    init(_ association: A, _ key: String, _ hops: Hop...) {
        self.association = association
        self.key = key
        self.hops = hops
    }

    /// Returns the rows that belong to another row. For an optional association, the result contains nil where a table
    /// on the path, or the last one, has no row.
    func rows(_ league: NaiveLeague, _ row: Row?, isOptional: Bool) -> [Row?] {
        hops.reduce([row]) { rows, hop in
            rows.flatMap { row -> [Row?] in
                let next = row.map { hop(league, $0) } ?? []
                return next.isEmpty && isOptional ? [nil] : next
            }
        }
    }

    /// Returns the rows that belong to another row.
    func rows(_ league: NaiveLeague, _ row: Row) -> [Row] { rows(league, row, isOptional: false).compactMap(\.self) }
}

enum Steps {
    // Associations of players.
    static let team = Step(Player.team, "team", toTeam)
    static let awards = Step(Player.awards, "award", toAwards)
    static let citizenships = Step(Player.citizenships, "citizenship", toCitizenships)
    static let countries = Step(Player.countries, "country", toCitizenships, toCountry)

    // Associations of teams.
    static let players = Step(Team.players, "player", toPlayers)
    static let awardsOfTeam = Step(Team.awards, "award", toPlayers, toAwards)

    // Associations of awards.
    static let player = Step(Award.player, "player", toPlayer)
    static let teamOfAward = Step(Award.team, "team", toPlayer, toTeam)

    // Associations of countries and citizenships.
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
