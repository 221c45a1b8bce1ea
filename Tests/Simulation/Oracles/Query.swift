/// A query whose result the model knows.
package enum Query: Codable, Sendable {
    case rows(String)
    case count(String)
    /// The rows with a value in a column, as SQL.
    case filtered(String, column: Int, Value)
    /// The same as a request of the query interface.
    case requested(String, column: Int, Value)
    case join(Join)
    case search(String, SearchQuery)
    case json(Member)

    package enum Join: String, Codable, CaseIterable, Sendable {
        case countUsing = "SELECT count(*) FROM player JOIN team USING (team)"
        case natural = "SELECT player.name FROM player NATURAL JOIN team"
        case leftUsing = "SELECT player.name, team.city FROM player LEFT JOIN team USING (team)"
        case fullUsing = "SELECT team FROM player FULL JOIN team USING (team)"
        case on = "SELECT player.id, team.city FROM player JOIN team ON team.team = player.team"
        case membership = "SELECT id FROM player WHERE team IN (SELECT team FROM team)"
        case absence = "SELECT id FROM player WHERE NOT EXISTS (SELECT * FROM team WHERE team.team = player.team)"
        case cte = "WITH q AS (SELECT team FROM player WHERE name IS NOT NULL) SELECT count(*) FROM q"
        case compound = "SELECT team FROM player UNION ALL SELECT team FROM team"
        case view = "SELECT n FROM cities"
        case window = "SELECT id, row_number() OVER (ORDER BY id) FROM player"
    }

    package enum Member: String, Codable, CaseIterable, Sendable {
        case numberOfText = "SELECT id, j ->> 'n' FROM document"
        case stringOfBinary = "SELECT id, b ->> 's' FROM document"
        case binaryAsText = "SELECT id, json(b) FROM document"
    }

    package var sql: String {
        switch self {
        case .rows(let table): "SELECT * FROM \(table)"
        case .count(let table): "SELECT count(*) FROM \(table)"
        case .filtered(let table, let column, let value), .requested(let table, let column, let value):
            "SELECT * FROM \(table) WHERE \"\(Schema.table(table).columns[column].name)\" = \(value.sql)"
        case .join(let join): join.rawValue
        case .search(let table, let query):
            "SELECT rowid\(table == "bare" ? "" : ", *") FROM \(table) WHERE \(table) MATCH \(Value.text(query.text).sql)"
        case .json(let member): member.rawValue
        }
    }

    /// The name of the kind of query, for the coverage.
    var name: String {
        switch self {
        case .rows: "rows"
        case .count: "count"
        case .filtered: "filter"
        case .requested: "request"
        case .join(let join): "\(join)"
        case .search: "search"
        case .json(let member): "\(member)"
        }
    }

    /// The tables that the query reads.
    var tables: Set<String> {
        switch self {
        case .rows(let table), .count(let table), .filtered(let table, _, _), .requested(let table, _, _),
            .search(let table, _):
            [table]
        case .join(.cte), .join(.window): ["player"]
        case .join(.view): ["team"]
        case .join: ["player", "team"]
        case .json: ["document"]
        }
    }
}

extension Query {
    /// The rows of the result, sorted.
    func result(in model: Model) -> [String] { rows(in: model).map { "\($0)" }.sorted() }

    private func rows(in model: Model) -> [[Value]] {
        switch self {
        case .rows(let table): return model.rows(table).map(\.values)
        case .count(let table): return [[.integer(Int64(model.rows(table).count))]]
        case .filtered(let table, let column, let value), .requested(let table, let column, let value):
            let statement = Statement(
                table: table, change: .delete(.equals(column, value)), form: .literals, isReturning: true)
            var copy = model
            guard case .done(let rows) = copy.run(statement) else { return [] }
            return rows ?? []
        case .search(let table, let query): return found(table, query, model)
        case .json(let member):
            return model.rows("document").map { row in
                switch member {
                case .numberOfText: [row.values[0], JSONSample(row.values[1]).map { .integer($0.n) } ?? .null]
                case .stringOfBinary: [row.values[0], JSONSample(row.values[2]).map { .text($0.s) } ?? .null]
                case .binaryAsText: [row.values[0], JSONSample(row.values[2])?.text ?? .null]
                }
            }
        case .join(let join): return joined(join, model.rows("player").map(\.values), model.rows("team").map(\.values))
        }
    }

    private func found(_ table: String, _ query: SearchQuery, _ model: Model) -> [[Value]] {
        if table == "words" {
            return model.rows("noted").filter { query.matches([("text", $0.values[1])]) }.map {
                [.integer($0.rowID), $0.values[1]]
            }
        }
        let columns = Schema.table(table).columns
        return model.rows(table).compactMap { row in
            let document = zip(columns, row.values).map { (name: $0.name, text: $1) }
            guard query.matches(document) else { return nil }
            return [.integer(row.rowID)] + (table == "bare" ? [] : row.values)
        }
    }

    private func joined(_ join: Join, _ players: [[Value]], _ teams: [[Value]]) -> [[Value]] {
        func isSame(_ player: [Value], _ team: [Value]) -> Bool {
            Statement.Comparison.equal.holds(player[1], team[0], .binary)
        }
        func pairs() -> [([Value], [Value])] {
            players.flatMap { player in teams.filter { isSame(player, $0) }.map { (player, $0) } }
        }
        switch join {
        case .countUsing: return [[.integer(Int64(pairs().count))]]
        case .natural: return pairs().map { [$0.0[2]] }
        case .leftUsing:
            return players.flatMap { player in
                let own = teams.filter { isSame(player, $0) }
                return own.isEmpty ? [[player[2], .null]] : own.map { [player[2], $0[1]] }
            }
        case .fullUsing:
            let alone = players.filter { player in !teams.contains { isSame(player, $0) } }
            let free = teams.filter { team in !players.contains { isSame($0, team) } }
            return pairs().map { [$0.0[1]] } + alone.map { [$0[1]] } + free.map { [$0[0]] }
        case .on: return pairs().map { [$0.0[0], $0.1[1]] }
        case .membership: return players.filter { player in teams.contains { isSame(player, $0) } }.map { [$0[0]] }
        case .absence: return players.filter { player in !teams.contains { isSame(player, $0) } }.map { [$0[0]] }
        case .cte: return [[.integer(Int64(players.filter { !$0[2].isNull }.count))]]
        case .compound: return players.map { [$0[1]] } + teams.map { [$0[0]] }
        case .view:
            var groups: [(Value, Int64)] = []
            for team in teams {
                if let index = groups.firstIndex(where: { $0.0.compared(to: team[1]) == 0 }) {
                    groups[index].1 += 1
                } else {
                    groups.append((team[1], 1))
                }
            }
            return groups.map { [.integer($0.1)] }
        case .window: return players.indices.map { [players[$0][0], .integer(Int64($0) + 1)] }
        }
    }
}
