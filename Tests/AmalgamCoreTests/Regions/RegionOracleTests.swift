import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// A random test of regions: when a write changes the result of a query, the region of the query must be affected by one
/// of the kinds of change of the write.
struct RegionOracleTests {
    static let schema = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, k, x, y);
        CREATE TABLE b (k, x, z);
        CREATE INDEX bOnK ON b(k, z);
        CREATE INDEX aOnX ON a(x) WHERE y IS NOT NULL;
        CREATE TABLE c (k, y, w DEFAULT 7, PRIMARY KEY (k, y)) WITHOUT ROWID;
        CREATE TABLE g (id INTEGER PRIMARY KEY, x, k AS (x % 3), w AS (x || 'w') STORED);
        CREATE INDEX gOnK ON g(k);
        CREATE TABLE p (k INTEGER PRIMARY KEY, z UNIQUE);
        CREATE TABLE f (id INTEGER PRIMARY KEY, k REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE, y);
        CREATE VIRTUAL TABLE ft USING fts5(x, y);
        CREATE VIRTUAL TABLE voc USING fts5vocab(ft, instance);
        CREATE VIRTUAL TABLE fx USING fts5(x, y, content=a, content_rowid=id);
        CREATE VIRTUAL TABLE f4 USING fts4(x, y);
        CREATE VIRTUAL TABLE aux USING fts4aux(f4);
        CREATE VIRTUAL TABLE rt USING rtree(id, x0, x1);
        CREATE VIEW v AS SELECT k, z FROM a NATURAL JOIN b;
        CREATE VIEW w AS SELECT p.k, y FROM p LEFT JOIN f USING (k);
        CREATE TRIGGER cInserted AFTER INSERT ON c BEGIN
            INSERT INTO ft (x, y) VALUES (NEW.k, NEW.y);
            UPDATE b SET z = NEW.y WHERE k = NEW.k;
        END;
        CREATE TRIGGER fDeleted AFTER DELETE ON f BEGIN UPDATE b SET z = OLD.y WHERE k = OLD.k; END;
        CREATE TRIGGER gUpdated AFTER UPDATE ON g BEGIN DELETE FROM f4 WHERE docid = OLD.id; END;
        """

    @Test(arguments: seeds(12))
    func aChangedResultIsInTheRegion(seed: UInt64) throws {
        var random = RandomSQL(seed: seed)
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: Self.schema)
            for _ in 0..<20 { try? db.execute(sql: random.write()) }
            let queries = (0..<16).map { _ in random.query() }.filter { (try? db.makeStatement(sql: $0)) != nil }
            #expect(queries.count >= 4, "seed \(seed)")
            for _ in 0..<40 { try check(queries, db, random.write(), seed) }
        }
    }

    private func check(_ queries: [String], _ db: Database, _ write: String, _ seed: UInt64) throws {
        let before = try queries.map { try rows(db, $0) }
        let regions = try queries.map { try db.makeStatement(sql: $0).databaseRegion }
        guard let statement = try? db.makeStatement(sql: write) else { return }
        let kinds = statement.eventKinds
        _ = try? Row.fetchAll(statement)
        for (index, query) in queries.enumerated() where try rows(db, query) != before[index] {
            #expect(
                kinds.contains(where: regions[index].isModified),
                "seed \(seed): \(write) changes \(query), of the region \(regions[index])")
        }
    }

    /// `DROP TABLE` of a parent deletes rows of its children, and fires their triggers.
    @Test(arguments: seeds(12))
    func aDroppedParentChangesItsChildren(seed: UInt64) throws {
        var random = RandomSQL(seed: seed)
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: Self.schema)
            try db.execute(
                sql: "INSERT INTO p VALUES (1, 'p'); INSERT INTO f VALUES (1, 1, 'y'); INSERT INTO b VALUES (1, 1, 1)")
            for _ in 0..<20 {
                for _ in 0..<5 { try? db.execute(sql: random.write()) }
                let queries = (0..<16).map { _ in random.query() } + ["SELECT * FROM f", "SELECT z FROM b"]
                try checkDrop(queries.filter { (try? db.makeStatement(sql: $0)) != nil }, db, seed)
            }
        }
    }

    private func checkDrop(_ queries: [String], _ db: Database, _ seed: UInt64) throws {
        let before = try queries.map { try rows(db, $0) }
        let regions = try queries.map { try db.makeStatement(sql: $0).databaseRegion }
        try db.execute(sql: "SAVEPOINT s")
        let log = EventLog { _ in true }
        db.add(transactionObserver: log)
        let drop = try db.makeStatement(sql: "DROP TABLE p")
        let kinds = drop.eventKinds
        try drop.execute()
        // Queries of the dropped table don't compile any more.
        for (index, query) in queries.enumerated() where (try? db.makeStatement(sql: query)) != nil {
            if try rows(db, query) == before[index] { continue }
            #expect(
                kinds.contains(where: regions[index].isModified),
                "seed \(seed): DROP TABLE p changes \(query), of the region \(regions[index])")
        }
        try db.execute(sql: "RELEASE s")
        #expect(
            log.events.allSatisfy { event in
                event.tableName != "p" && kinds.contains { $0.tableName == event.tableName }
            })
        try db.execute(sql: "CREATE TABLE p (k INTEGER PRIMARY KEY, z UNIQUE); INSERT INTO p VALUES (1, 'p'), (2, 'q')")
        try? db.execute(sql: "INSERT INTO f VALUES (1, 1, 'y'), (2, 2, 'z')")
        db.remove(transactionObserver: log)
    }

    /// The rows, in an order that doesn't depend on the plan of the query.
    private func rows(_ db: Database, _ sql: String) throws -> [String] {
        do {
            return try Row.fetchAll(db, sql: sql).map(\.description).sorted()
        } catch {
            // A full-text index whose content has changed.
            return ["\(error)"]
        }
    }
}

/// Random queries and writes on the schema of ``RegionOracleTests``.
private struct RandomSQL {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick<T>(_ elements: [T]) -> T { elements.randomElement(using: &random)! }
    private mutating func number() -> Int { Int.random(in: 0..<6, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private static let columns: [String: [String]] = [
        "a": ["id", "k", "x", "y", "rowid"], "b": ["k", "x", "z", "rowid"], "c": ["k", "y", "w"],
        "g": ["id", "x", "k", "w"], "p": ["k", "z"], "f": ["id", "k", "y"], "ft": ["x", "y", "rowid"],
        "voc": ["term", "doc", "col"], "fx": ["x", "y", "rowid"], "f4": ["x", "y", "docid"],
        "aux": ["term", "col", "documents"], "rt": ["id", "x0", "x1"], "v": ["k", "z"], "w": ["k", "y"],
    ]

    private mutating func table() -> String { pick(Self.columns.keys.sorted()) }

    // MARK: Queries

    mutating func query() -> String {
        switch number() {
        case 0: return search()
        case 1: return "SELECT count(*) FROM \(join(table(), table()))"
        case 2:
            let (outer, inner) = (table(), table())
            return "SELECT \(column(outer)) FROM \(outer) WHERE \(column(outer)) IN (\(select(inner)))"
        case 3: return "WITH q AS (\(select(table()))) SELECT * FROM q"
        default: return select(table())
        }
    }

    private mutating func column(_ table: String) -> String { "\(table).\(pick(Self.columns[table]!))" }

    private mutating func select(_ first: String) -> String {
        let second = table()
        let isJoin = chance(60) && first != second
        let source = isJoin ? join(first, second) : first
        let column = column(isJoin && chance(40) ? second : first)
        let condition = chance(30) ? " WHERE \(self.column(first)) \(pick(["=", "<", "IS NOT"])) \(number())" : ""
        return "SELECT \(pick([column, "max(\(column))", "DISTINCT \(column)"])) FROM \(source)\(condition)"
    }

    private mutating func join(_ first: String, _ second: String) -> String {
        if first == second { return "\(first) AS l, \(second) AS r" }
        let shared = Self.columns[first]!.filter { Self.columns[second]!.contains($0) && $0 != "rowid" }
        let kind = pick(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        switch number() {
        case 0: return "\(first) NATURAL \(kind) \(second)"
        case 1: return "\(first) \(kind) \(second) ON \(column(first)) = \(column(second))"
        default:
            return shared.isEmpty
                ? "\(first) NATURAL \(kind) \(second)" : "\(first) \(kind) \(second) USING (\(pick(shared)))"
        }
    }

    private mutating func search() -> String {
        let table = pick(["ft", "f4"])
        switch number() {
        case 0: return "SELECT rowid FROM \(table) WHERE \(table) MATCH '\(number())'"
        case 1: return "SELECT x FROM ft('\(number())') ORDER BY rank"
        case 2: return "SELECT snippet(f4) FROM f4 WHERE f4 MATCH '\(number())'"
        case 3: return "SELECT highlight(ft, 1, '[', ']') FROM ft('\(number())')"
        default: return "SELECT term FROM \(pick(["voc", "aux"])) WHERE term = '\(number())'"
        }
    }

    // MARK: Writes

    mutating func write() -> String {
        let value = { (self: inout Self) in
            self.pick(["\(self.number())", "'\(self.number()) \(self.number())'", "NULL"])
        }
        let conflict = pick(["", "", " OR REPLACE", " OR IGNORE"])
        switch pick(["a", "b", "c", "g", "p", "f", "ft", "f4", "rt"]) {
        case "a":
            return pick([
                "INSERT\(conflict) INTO a VALUES (\(number()), \(number()), \(value(&self)), \(value(&self)))",
                "UPDATE\(conflict) a SET \(pick(["id", "k", "x", "y"])) = \(number()) WHERE id = \(number())",
                "DELETE FROM a WHERE k = \(number()) RETURNING id",
                """
                INSERT INTO a (id, k) VALUES (\(number()), \(number()))
                ON CONFLICT DO UPDATE SET \(pick(["k", "x", "y"])) = excluded.k + 1
                """,
            ])
        case "b":
            return pick([
                "INSERT INTO b VALUES (\(number()), \(value(&self)), \(value(&self)))",
                "INSERT INTO b SELECT k, y, w FROM c",
                "UPDATE b SET \(pick(["k", "x", "z"])) = \(number()) WHERE k = \(number()) RETURNING *",
                "DELETE FROM b" + (chance(80) ? " WHERE k = \(number())" : ""),
            ])
        case "c":
            return pick([
                "INSERT\(conflict) INTO c (k, y) VALUES (\(number()), \(number()))",
                "UPDATE\(conflict) c SET \(pick(["k", "y", "w"])) = \(number()) WHERE k = \(number())",
                "DELETE FROM c WHERE y = \(number())",
            ])
        case "g":
            return pick([
                "INSERT\(conflict) INTO g (id, x) VALUES (\(number()), \(number()))",
                "UPDATE g SET x = \(number()) WHERE id = \(number())", "DELETE FROM g WHERE k = 1",
            ])
        case "p":
            return pick([
                "INSERT\(conflict) INTO p VALUES (\(number()), \(number()))",
                "UPDATE\(conflict) p SET \(pick(["k", "z"])) = \(number()) WHERE k = \(number())",
                "DELETE FROM p WHERE z = \(number())",
            ])
        case "f":
            return pick([
                "INSERT\(conflict) INTO f VALUES (\(number()), \(number()), \(number()))",
                "UPDATE f SET y = \(number()) WHERE k = \(number())", "DELETE FROM f WHERE id = \(number())",
            ])
        case "rt":
            return pick([
                "INSERT\(conflict) INTO rt VALUES (\(number()), \(number()), 9)",
                "UPDATE rt SET x0 = \(number()) WHERE id = \(number())", "DELETE FROM rt WHERE id = \(number())",
            ])
        case let table:
            return pick([
                "INSERT INTO \(table) (x, y) VALUES ('\(number()) \(number())', '\(number())')",
                "UPDATE \(table) SET \(pick(["x", "y"])) = '\(number())' WHERE rowid = \(number())",
                "DELETE FROM \(table)" + (chance(80) ? " WHERE rowid = \(number())" : ""),
            ])
        }
    }
}
