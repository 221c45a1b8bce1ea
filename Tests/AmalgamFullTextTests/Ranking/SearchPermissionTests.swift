import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// What ranked searches read, and which permissions they need: the same as the searches of FTS5.
@Suite("The regions and permissions of ranked searches")
struct SearchPermissionTests {
    enum Search: String, CaseIterable, CustomTestStringConvertible {
        case bm25, weights, typos

        var testDescription: String { rawValue }

        var request: QueryInterfaceRequest<Row> {
            switch self {
            case .bm25: Table("document").matching("common" || "word").order(Column.rank, Column.rowID)
            case .weights: Table("document").matching("common" || "word").ranked(by: FTS5Rank.bm25([2, 1]))
            case .typos: Table("document").matching(.fuzzy("comon wort")).order(Column.rank, Column.rowID)
            }
        }
    }

    private func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE document USING fts5(title, body);
                CREATE TABLE other (a);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
                INSERT INTO document SELECT 'common', iif(i % 3 = 0, 'word', 'word and number' || i) FROM n
                """)
    }

    // MARK: Regions

    @Test("the region of a request is its table", arguments: Search.allCases)
    func region(search: Search) throws {
        try DatabaseQueue().write { db in
            try create(db)
            for _ in 1...2 {
                let region = try search.request.databaseRegion(db)
                #expect(region.description.hasPrefix("document("))
                expectEqual(region.intersection(DatabaseRegion(table: "document")), region)
                #expect(region == (try db.withoutRankedSearches { try search.request.databaseRegion(db) }))
                // The second time, what a search needs is in memory.
                expectEqual(try Row.fetchAll(db, search.request).count, 60)
            }
        }
    }

    @Test("an observation of a search receives each change", arguments: Search.allCases)
    func observation(search: Search) throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            let counts = Log<Int>()
            let observation = ValueObservation.tracking { db in try Row.fetchAll(db, search.request).count }
            let cancellable = observation.start(
                in: pool, scheduling: .async(onQueue: .global()), onError: { Issue.record("\($0)") },
                onChange: { counts.append($0) })
            try waitUntil("the first value") { counts.count == 1 }
            for number in 1...3 {
                try pool.write { db in try db.execute(sql: "INSERT INTO document VALUES ('common', 'word')") }
                try waitUntil("value \(number)") { counts.elements.last == 60 + number }
            }
            try pool.write { db in try db.execute(sql: "INSERT INTO other VALUES (1)") }
            try pool.write { db in try db.execute(sql: "DELETE FROM document WHERE rowid <= 10") }
            try waitUntil("the last value") { counts.elements.last == 53 }
            #expect(counts.elements == [60, 61, 62, 63, 53])
            cancellable.cancel()
        }
    }

    // MARK: Permissions

    /// The rows of a search, or its error.
    private func outcome(_ search: Search, _ db: Database) -> String {
        do {
            let request = search.request.select(Column.rowID, Column.rank)
            return "\(try Row.fetchAll(db, request).map { RankedRow($0) })"
        } catch let error as DatabaseError {
            return "\(error.extendedResultCode) \(error.message ?? "") \(error.deniedAction.map { "\($0)" } ?? "")"
        } catch {
            return "\(error)"
        }
    }

    /// Runs a search on a new connection, where FTS5 has compiled no statements.
    private func withConnection<T>(_ path: String, isRanked: Bool, _ body: (Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(path: path)
        defer { #expect(throws: Never.self) { try queue.close() } }
        return try queue.inDatabase { db in isRanked ? try body(db) : try db.withoutRankedSearches { try body(db) } }
    }

    private func actions(_ search: Search, _ path: String, isRanked: Bool) throws -> Set<String> {
        try withConnection(path, isRanked: isRanked) { db in
            var actions: Set<String> = []
            let found = try db.withAuthorizer { action in
                actions.insert("\(action) \(action.schemaName ?? "") \(action.isInternal)")
                return .allow
            } perform: {
                outcome(search, db)
            }
            #expect(found.hasPrefix("["), "\(found)")
            return actions
        }
    }

    /// - Parameter isWarm: Whether another connection holds everything that a search needs in memory.
    @Test("each action that the search of FTS5 asks for may be denied", arguments: Search.allCases, [true, false])
    func denials(search: Search, isWarm: Bool) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "documents.sqlite").path
            let pool = try DatabasePool(path: path)
            try pool.write(create)
            if isWarm {
                try pool.write { db in
                    try FTS5Index("document").warmUp(db)
                    #expect(outcome(search, db).hasPrefix("["))
                }
            } else {
                try pool.close()
            }
            let actions = try actions(search, path, isRanked: false)
            #expect(actions.count > 8)
            expectEqual(actions.subtracting(try self.actions(search, path, isRanked: true)), [])
            for denied in actions {
                for decision in [AuthorizerDecision.deny, .ignore] {
                    let outcomes = try [true, false].map { isRanked in
                        try withConnection(path, isRanked: isRanked) { db in
                            try db.withAuthorizer { action in
                                let name = "\(action) \(action.schemaName ?? "") \(action.isInternal)"
                                return name == denied ? decision : .allow
                            } perform: {
                                outcome(search, db)
                            }
                        }
                    }
                    #expect(outcomes[0] == outcomes[1], "\(decision) \(denied)")
                }
            }
            try pool.close()
        }
    }

    @Test("an authorizer that throws an error, at each action", arguments: Search.allCases)
    func errors(search: Search) throws {
        struct Refusal: Error {}
        try DatabaseQueue().inDatabase { db in
            try create(db)
            let expected = outcome(search, db)
            for number in 1...12 {
                let outcomes = try [true, false].map { isRanked in
                    func run() throws -> String {
                        var count = 0
                        return try db.withAuthorizer { action in
                            count += 1
                            if count == number { throw Refusal() }
                            return .allow
                        } perform: {
                            outcome(search, db)
                        }
                    }
                    return isRanked ? try run() : try db.withoutRankedSearches { try run() }
                }
                // A ranked search that isn't allowed is left to FTS5, whose statements may be compiled already.
                #expect(outcomes.allSatisfy { $0 == "Refusal()" || $0 == expected }, "\(number): \(outcomes)")
                expectEqual(outcome(search, db), expected)
            }
        }
    }

    @Test("a sandbox", arguments: Search.allCases)
    func sandbox(search: Search) throws {
        try DatabaseQueue().inDatabase { db in
            try create(db)
            // This adds the ranking function to the connection.
            let expected = outcome(search, db)
            var hidden = Sandbox.readOnly(tables: ["document"])
            hidden.hideColumns(["rank"], of: "document")
            var denied = Sandbox.readOnly(tables: ["document"])
            denied.denyColumns(["rank"], of: "document")
            let sandboxes = [.readOnly, .readOnly(tables: ["document"]), .readOnly(tables: ["other"]), hidden, denied]
            for (number, sandbox) in sandboxes.enumerated() {
                let ranked = try db.sandboxed(sandbox) { outcome(search, db) }
                let sorted = try db.withoutRankedSearches { try db.sandboxed(sandbox) { outcome(search, db) } }
                #expect(ranked == sorted, "\(number)")
                #expect((ranked == expected) == (number < 2), "\(number): \(ranked)")
            }
        }
    }
}
