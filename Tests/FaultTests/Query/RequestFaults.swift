import Amalgam
import AmalgamCore
import Testing

/// Requests that look up the schema, are compiled, run, and run other requests: they return the correct results, or
/// throw.
@Suite struct RequestFaults {
    @Test(arguments: Weather.all)
    func requests(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try Player.filter { $0.score > 5 }.order(\.name).fetchCount(db))
                attempt.note(try Player.filter(key: 2).isEmpty(db))
                attempt.note(try Player.select(\.name, as: String.self).orderByPrimaryKey().fetchAll(db))
                attempt.note(
                    try Team.annotated(with: Team.players.count).orderByPrimaryKey().asRequest(of: Row.self).fetchAll(
                        db))
                attempt.note(try Player.filter(key: 1).databaseRegion(db))
            }
        }
    }

    @Test(arguments: Weather.memory)
    func joins(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                let request = Player.including(optional: Player.team).orderByPrimaryKey()
                attempt.note(try Row.fetchAll(db, request).map(\.debugDescription))
            }
        }
    }

    @Test(arguments: Weather.all)
    func prefetches(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                let request = Team.including(all: Team.players.orderByPrimaryKey()).orderByPrimaryKey()
                let rows = try Row.fetchAll(db, request)
                attempt.note(rows.map { $0.prefetchedRows["players"]?.map { $0["name"] as String } ?? [] })
            }
        }
    }

    @Test(arguments: Weather.all)
    func batches(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try Player.filter { $0.score > 15 }.updateAll(db) { $0.score.set(to: 0) } }
            try attempt.step { db in try Player.orderByPrimaryKey().limit(1).deleteAll(db) }
            try attempt.step { db in try Team.deleteAll(db, keys: [2]) }
        }
    }

    @Test(arguments: Weather.memory)
    func commonTables(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                let best = CommonTableExpression(named: "best", request: Player.filter { $0.score > 15 })
                attempt.note(try Row.fetchAll(db, best.all().with(best)))
            }
        }
    }
}
