import Amalgam
import Foundation

/// A query, and the tables that it reads.
struct Case: Sendable {
    var world: World
    var query: Query

    /// Returns the queries of a seed. They read the same tables.
    static func all(seed: UInt64, count: Int = 8) -> [Case] {
        var worlds = WorldGenerator(random: Random(seed: seed))
        let world = worlds.world()
        var generator = QueryGenerator(world, random: worlds.random)
        return (0..<count).map { _ in Case(world: world, query: generator.query()) }
    }

    /// What the evaluator says.
    func answer() -> Result<Answer, any Error> {
        Result { try Evaluator(world).answer(query, Env(), isMain: true) }
    }

    /// Fetches the rows with the library.
    func fetch(_ db: Database, _ answer: Answer?) throws -> FetchedRows {
        var statements: [String] = []
        db.trace { event in
            if case .statement(let statement) = event { statements.append(statement.expandedSQL) }
        }
        defer { db.trace(options: []) }
        let builder = RequestBuilder(query)
        switch query {
        case .select(let select):
            let request = builder.request(select)
            let outputs = try Row.fetchAll(db, request).map { row in
                Output(row, select.table, columnCount: answer?.folds.count ?? row.count)
            }
            return FetchedRows(outputs, answer, statements, count: try request.fetchCount(db))
        case .compound(let compound):
            let request = builder.request(compound)
            let outputs = try Row.fetchAll(db, request).map { Output(cells: $0.databaseValues.map { Cell($0) }) }
            return FetchedRows(outputs, answer, statements, count: try request.fetchCount(db))
        }
    }

    /// Returns why the library's rows aren't those of the evaluator; nil if they are.
    func difference(_ answer: Answer, _ fetched: FetchedRows) -> String? {
        if let difference = answer.difference(from: fetched.rows) { return difference }
        let count = fetched.rows.count
        return fetched.count == count ? nil : "fetchCount returns \(fetched.count) for \(count) rows"
    }

    /// Returns why the library's rows aren't those of the evaluator; nil if they are, or if the evaluator doesn't know.
    func difference() -> String? {
        guard case .success(let answer) = answer() else { return nil }
        do {
            return try withDatabase { db in difference(answer, try fetch(db, answer)) }
        } catch {
            return "\(error)"
        }
    }

    /// Returns why the rows of the system's SQLite aren't those of the evaluator.
    func systemDifference() -> String? {
        guard case .success(let answer) = answer(),
            let fetched = try? withDatabase({ db in try fetch(db, answer) }), !fetched.isPrefetched,
            let replies = try? SystemSQLite.run([
                SystemSQLite.Batch(tables: world.tables.flatMap(\.sql), statements: [fetched.statements[0]])
            ]), case .rows(let rows) = replies[0][0]
        else { return nil }
        let flattened = answer.flattened
        return flattened.difference(from: rows.map { Output(cells: $0).text(flattened.folds) })
    }

    /// Whether the statement has a limit, by which the rows depend on their order.
    var hasLimit: Bool {
        switch query {
        case .select(let select): select.limit != nil
        case .compound(let compound): compound.limit != nil
        }
    }

    static var empty: Case {
        Case(world: World(), query: .select(Select(table: Branch(source: 0, origin: .table("")))))
    }

    func withDatabase<T>(_ body: (Database) throws -> T) throws -> T {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        defer { try? queue.close() }
        return try queue.write { db in
            for table in world.tables {
                for sql in table.sql { try db.execute(sql: sql) }
            }
            return try body(db)
        }
    }
}
