import Amalgam
import Testing

/// The ways to use an association.
private enum Use: CaseIterable {
    case includingRequired, includingOptional, joiningRequired, joiningOptional

    var isRequired: Bool { self == .includingRequired || self == .joiningRequired }
    var isIncluded: Bool { self == .includingRequired || self == .includingOptional }

    func apply<R: JoinableRequest, A: Association>(_ association: A, to request: R) -> R
    where A.OriginRowDecoder == R.RowDecoder {
        switch self {
        case .includingRequired: request.including(required: association)
        case .includingOptional: request.including(optional: association)
        case .joiningRequired: request.joining(required: association)
        case .joiningOptional: request.joining(optional: association)
        }
    }
}

/// The tables that have aliases.
private enum Aliases: CaseIterable {
    case none, named, anonymous
}

/// The rows of a table and of two associations, in order; nil for rows that aren't fetched, or don't exist.
private struct Path: Hashable, CustomStringConvertible {
    let values: [[DatabaseValue]?]

    init(_ rows: [Row?]) {
        values = rows.map { $0?.visibleValues }
    }

    var description: String { "\(values.map { $0.map { $0.map(\.description).joined(separator: ",") } ?? "-" })" }
}

extension Row {
    /// The values, except for those of the columns that find prefetched rows.
    fileprivate var visibleValues: [DatabaseValue] {
        zip(columnNames, databaseValues).filter { !$0.0.hasPrefix("grdb_") }.map(\.1)
    }

    /// The row of an association, at any depth, unless all of it is NULL.
    fileprivate func part(_ key: String) -> Row? {
        scopesTree[key].flatMap { $0.containsNonNullValue ? $0.unscoped : nil }
    }
}

/// Returns how often each path occurs.
private func counted(_ paths: [Path]) -> [Path: Int] {
    Dictionary(paths.map { ($0, 1) }, uniquingKeysWith: +)
}

extension NaiveLeague {
    /// Returns the paths that a request with two associations fetches.
    fileprivate func paths<A, B>(
        from table: String, _ first: Step<A>, _ firstUse: Use, _ second: Step<B>, _ secondUse: Use
    ) -> [Path] {
        rows[table]!.flatMap { base in
            first.rows(self, base, isOptional: !firstUse.isRequired).flatMap { row in
                second.rows(self, row, isOptional: !secondUse.isRequired).map { last in
                    Path([base, firstUse.isIncluded ? row : nil, secondUse.isIncluded ? last : nil])
                }
            }
        }
    }
}

@Suite("Each kind of association behind each other one, in each way, is what loops over arrays give")
struct CombinationTests {
    /// Joins two associations in all ways, with and without aliases.
    private func check<Origin: TableRecord, A: Association, B: Association>(
        _ origin: Origin.Type, _ first: Step<A>, _ second: Step<B>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws where A.OriginRowDecoder == Origin, B.OriginRowDecoder == A.RowDecoder {
        try withLeague { db in
            let league = try NaiveLeague(db)
            for (use, nestedUse, aliases) in Self.uses {
                let request = request(origin, first, use, second, nestedUse, aliases)
                let rows = try Row.fetchAll(db, request)
                let paths = rows.map { row in
                    let part = row.part(first.key)
                    // The rows of an association that isn't fetched are found on the path to those that are.
                    return Path([
                        row.unscoped, use.isIncluded ? part : nil, row.scopesTree[first.key]?.part(second.key),
                    ])
                }
                let expected = league.paths(from: Origin.databaseTableName, first, use, second, nestedUse)
                #expect(
                    counted(paths) == counted(expected), "\(use) \(nestedUse) \(aliases)",
                    sourceLocation: sourceLocation)
                let count = try request.fetchCount(db)
                #expect(count == expected.count, "\(use) \(nestedUse) \(aliases)", sourceLocation: sourceLocation)
            }
        }
    }

    /// A required association after an optional one is refused: see `refused()`.
    private static var uses: [(Use, Use, Aliases)] {
        Use.allCases.flatMap { use in
            Use.allCases.filter { use.isRequired || !$0.isRequired }.flatMap { nestedUse in
                Aliases.allCases.map { (use, nestedUse, $0) }
            }
        }
    }

    private func request<Origin: TableRecord, A: Association, B: Association>(
        _ origin: Origin.Type, _ first: Step<A>, _ use: Use, _ second: Step<B>, _ nestedUse: Use, _ aliases: Aliases
    ) -> QueryInterfaceRequest<Origin> where A.OriginRowDecoder == Origin, B.OriginRowDecoder == A.RowDecoder {
        var (base, outer, inner) = (Origin.all(), first.association, second.association)
        switch aliases {
        case .none: break
        case .named:
            base = base.aliased(TableAlias(name: "a"))
            outer = outer.aliased(TableAlias(name: "b"))
            inner = inner.aliased(TableAlias(name: "c"))
        case .anonymous:
            let alias = TableAlias<Void>()
            outer = outer.aliased(alias)
            inner = inner.aliased(TableAlias<Void>())
            // A condition that is always true, and needs the alias.
            base = base.filter(alias[Column.rowID] == nil || alias[Column.rowID] != nil)
        }
        return use.apply(nestedUse.apply(inner, to: outer), to: base)
    }

    @Test("from players")
    func fromPlayers() throws {
        try check(Player.self, Steps.team, Steps.players)
        try check(Player.self, Steps.team, Steps.awardsOfTeam)
        try check(Player.self, Steps.awards, Steps.player)
        try check(Player.self, Steps.awards, Steps.teamOfAward)
        try check(Player.self, Steps.citizenships, Steps.country)
        try check(Player.self, Steps.citizenships, Steps.citizen)
        try check(Player.self, Steps.countries, Steps.citizens)
    }

    @Test("from teams")
    func fromTeams() throws {
        try check(Team.self, Steps.players, Steps.team)
        try check(Team.self, Steps.players, Steps.awards)
        try check(Team.self, Steps.players, Steps.citizenships)
        try check(Team.self, Steps.players, Steps.countries)
        try check(Team.self, Steps.awardsOfTeam, Steps.player)
        try check(Team.self, Steps.awardsOfTeam, Steps.teamOfAward)
    }

    @Test("from awards, countries and citizenships")
    func fromOthers() throws {
        try check(Award.self, Steps.player, Steps.team)
        try check(Award.self, Steps.player, Steps.awards)
        try check(Award.self, Steps.player, Steps.countries)
        try check(Award.self, Steps.teamOfAward, Steps.players)
        try check(Award.self, Steps.teamOfAward, Steps.awardsOfTeam)
        try check(Country.self, Steps.citizens, Steps.citizen)
        try check(Citizenship.self, Steps.citizen, Steps.team)
        try check(Citizenship.self, Steps.citizen, Steps.countries)
        try check(Citizenship.self, Steps.country, Steps.citizens)
    }

    @Test("a required association behind an optional one is refused")
    func refused() throws {
        try withLeague { db in
            for use in Use.allCases where !use.isRequired {
                for nestedUse in Use.allCases where nestedUse.isRequired {
                    let request = request(Player.self, Steps.team, use, Steps.players, nestedUse, .none)
                    expectError(
                        .SQLITE_MISUSE,
                        "Not implemented: chaining a required association behind an optional association"
                    ) { _ = try Row.fetchAll(db, request) }
                }
            }
        }
    }

    // MARK: Prefetched associations

    /// Prefetches the rows of an association to many, together with those of another association, in all ways.
    private func checkPrefetch<Origin: TableRecord, A: AssociationToMany, B: Association>(
        _ origin: Origin.Type, _ first: Step<A>, _ plural: String, _ second: Step<B>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws where A.OriginRowDecoder == Origin, B.OriginRowDecoder == A.RowDecoder {
        try withLeague { db in
            let league = try NaiveLeague(db)
            for use in Use.allCases {
                let rows = try Row.fetchAll(
                    db, Origin.including(all: use.apply(second.association, to: first.association)))
                #expect(rows.count == league.rows[Origin.databaseTableName]!.count, sourceLocation: sourceLocation)
                for row in rows {
                    let base = row.unscoped
                    let found = (row.prefetchedRows[plural] ?? []).map { part in
                        Path([part.unscoped, part.part(second.key)])
                    }
                    let expected = first.rows(league, base).flatMap { part in
                        second.rows(league, part, isOptional: !use.isRequired).map {
                            Path([part, use.isIncluded ? $0 : nil])
                        }
                    }
                    #expect(counted(found) == counted(expected), "\(use) \(base)", sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test("prefetched, with others joined to them")
    func prefetchedRows() throws {
        try checkPrefetch(Player.self, Steps.awards, "awards", Steps.player)
        try checkPrefetch(Player.self, Steps.awards, "awards", Steps.teamOfAward)
        try checkPrefetch(Player.self, Steps.countries, "countries", Steps.citizens)
        try checkPrefetch(Player.self, Steps.citizenships, "citizenships", Steps.country)
        try checkPrefetch(Team.self, Steps.players, "players", Steps.team)
        try checkPrefetch(Team.self, Steps.players, "players", Steps.countries)
        try checkPrefetch(Team.self, Steps.awardsOfTeam, "awards", Steps.player)
        try checkPrefetch(Country.self, Steps.citizens, "citizenships", Steps.citizen)
    }

    @Test("prefetched behind joined, and behind prefetched ones")
    func nestedPrefetches() throws {
        try withLeague { db in
            let league = try NaiveLeague(db)
            let awards = try Row.fetchAll(db, Award.including(optional: Award.player.including(all: Player.countries)))
            for row in awards {
                let countries = row.scopes["player"]?.prefetchedRows["countries"]?.map { $0["code"] as String } ?? []
                let expected = Steps.player.rows(league, row.unscoped).flatMap { Steps.countries.rows(league, $0) }
                #expect(countries.sorted() == expected.map { $0["code"] as String }.sorted())
            }
            let teams = try Row.fetchAll(
                db, Team.including(all: Team.players.including(all: Player.awards).including(all: Player.countries)))
            for row in teams {
                for player in row.prefetchedRows["players"] ?? [] {
                    #expect(player.prefetchedRows["awards"]?.count == Steps.awards.rows(league, player).count)
                    #expect(player.prefetchedRows["countries"]?.count == Steps.countries.rows(league, player).count)
                }
                #expect(row.prefetchedRows["players"]?.count == Steps.players.rows(league, row.unscoped).count)
            }
        }
    }
}
