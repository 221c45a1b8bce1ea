import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Random statements whose functions run random statements, which also change the schema and rebuild indexes: the file
/// stays intact, and the log leads to the tables.
@Suite struct NestedWriteTests {
    private static let schema = """
        CREATE TABLE r (id INTEGER PRIMARY KEY, a, b UNIQUE, c);
        CREATE INDEX byC ON r (c);
        CREATE TABLE w (a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID;
        CREATE INDEX byCall ON w (indexed(c));
        CREATE TABLE k (a, b TEXT NOT NULL PRIMARY KEY, c);
        CREATE INDEX byA ON k (a);
        CREATE INDEX byOtherCall ON k (indexed(a), c);
        CREATE TABLE n (a, b, c CHECK (indexed(c) IS NOT 99));
        CREATE TABLE spare (a, b);
        CREATE TRIGGER refusal BEFORE INSERT ON k WHEN new.c = 7 BEGIN SELECT RAISE(ABORT, 'refused'); END;
        CREATE TRIGGER called AFTER UPDATE OF a ON n BEGIN SELECT sub(new.b); END;
        CREATE TRIGGER addedR AFTER INSERT ON r BEGIN SELECT sub(new.a); END;
        CREATE TRIGGER removedR AFTER DELETE ON r BEGIN SELECT sub(old.a); END;
        CREATE TRIGGER addingW BEFORE INSERT ON w BEGIN SELECT sub(new.a); END;
        CREATE TRIGGER changedK AFTER UPDATE ON k BEGIN SELECT sub(new.c); END;
        CREATE TRIGGER removingN BEFORE DELETE ON n BEGIN SELECT sub(old.c); END;
        """

    /// The tables, with the columns of the keys by which the log identifies their rows.
    private static let tables = [("r", ["id"]), ("w", ["b", "a"]), ("k", ["b"]), ("n", ["rowid"])]

    @Test(arguments: seeds(50))
    func functionsThatWriteDamageNoFile(seed: UInt64) throws {
        let program = Shared(Program(seed: seed))
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                Self.addFunctions(to: db, program)
                try db.execute(sql: Self.schema)
                try db.audit("r", "w", "k", "n")
                for _ in 0..<40 {
                    let sql = program.value.statement()
                    program.value.isActive = true
                    do { _ = try Row.fetchAll(db, sql: sql) } catch { program.value.note(error, sql) }
                    program.value.isActive = false
                    let check = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                    #expect(check == ["ok"], "seed \(seed): \(program.value.log.suffix(12))")
                    if check != ["ok"] { return }
                }
                while db.isInsideTransaction { try db.commit() }
                for (table, key) in Self.tables { try Self.expectLog(of: table, key, db, seed) }
                program.value = Program(seed: 0)
            }
        }
    }

    /// Adds two functions that return their argument, and may run a statement. The function for indexes is pure.
    private static func addFunctions(to db: Database, _ program: Shared<Program>) {
        let shared = db.shared
        let call: @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)? = { values in
            guard let call = program.value.nestedStatement() else { return values[0] }
            defer { program.value.depth -= 1 }
            do {
                try shared.value.execute(sql: call.sql)
            } catch {
                program.value.note(error, call.sql)
                if !call.ignoresErrors { throw error }
            }
            return values[0]
        }
        db.add(function: DatabaseFunction("sub", argumentCount: 1, function: call))
        db.add(function: DatabaseFunction("indexed", argumentCount: 1, pure: true, function: call))
    }

    /// Expects that the entries of a table lead from the empty table to its rows.
    private static func expectLog(of table: String, _ key: [String], _ db: Database, _ seed: UInt64) throws {
        var rows: [[DatabaseValue]: [String: DatabaseValue]] = [:]
        let columns = AuditLog.Entry.Columns.self
        for entry in try AuditLog.Entry.filter(columns.tableName == table).order(columns.id).fetchAll(db) {
            var row = rows.removeValue(forKey: entry.key.values) ?? [:]
            #expect(row.isEmpty == (entry.operation == .insert), "seed \(seed): \(entry)")
            if entry.operation == .delete { continue }
            for change in entry.changes { row[change.columnName] = change.newValue }
            rows[entry.newKey?.values ?? entry.key.values] = row
        }
        let keys = key.joined(separator: ", ")
        for row in try Row.fetchAll(db, sql: "SELECT \(keys), * FROM \(table)") {
            let values = Array(row.databaseValues)
            let logged = rows.removeValue(forKey: Array(values.prefix(key.count)))
            for (name, value) in zip(row.columnNames, values).dropFirst(key.count) {
                #expect(logged?[name] ?? .null == value, "seed \(seed): \(table) \(row)")
            }
        }
        #expect(rows.isEmpty, "seed \(seed): \(table) \(rows)")
    }

    /// A generator of statements, which calls of the function `sub` continue.
    private struct Program {
        private var generator: SeededGenerator
        /// Whether the functions run statements.
        var isActive = false
        var depth = 0
        var log: [String] = []

        init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

        private mutating func choice<T>(_ elements: [T]) -> T { elements.randomElement(using: &generator)! }

        private mutating func number() -> Int { Int.random(in: 0...8, using: &generator) }

        private mutating func conflict() -> String { choice(["", "", "OR REPLACE", "OR FAIL", "OR IGNORE"]) }

        mutating func statement() -> String {
            let sql = outerStatement()
            log.append(sql)
            return sql
        }

        private mutating func outerStatement() -> String {
            let table = choice(["r", "w", "k", "n"])
            switch Int.random(in: 0..<19, using: &generator) {
            case 0: return choice(["BEGIN", "SAVEPOINT s"])
            case 1: return choice(["COMMIT", "ROLLBACK", "ROLLBACK TO s", "RELEASE s"])
            case 2, 3: return "UPDATE \(conflict()) \(table) SET \(choice(["a", "b", "c"])) = sub(\(number()))"
            case 4: return "UPDATE \(table) SET c = sub(b), a = c WHERE b > '\(number())'"
            case 5: return "UPDATE \(table) SET a = sub(c) WHERE a < (SELECT count(*) FROM \(table))"
            case 6: return "DELETE FROM \(table) WHERE sub(\(number())) > 5"
            case 7: return "DELETE FROM \(table) WHERE sub(1) AND c < (SELECT count(*) FROM \(table))"
            case 8: return "SELECT sub(a) FROM \(table) LIMIT 3"
            case 9: return "INSERT \(conflict()) INTO \(table) (a, b, c) SELECT sub(a), b || 1, c FROM r LIMIT 5"
            case 10: return "UPDATE \(table) SET c = 1 RETURNING sub(b)"
            case 11 where table == "w" || table == "k":
                return """
                    INSERT INTO \(table) (a, b, c) VALUES (\(number()), '\(number())', 1), (1, '\(number())', 2)
                    ON CONFLICT DO UPDATE SET c = sub(c + 1)
                    """
            case 12 where table == "r": return "UPDATE r SET id = id + sub(\(number()))"
            case 13: return "DELETE FROM \(table) WHERE a < \(number())"
            case 14: return "REINDEX \(choice(["", "r", "w", "k"]))"
            case 15: return definition()
            default: return insertion(into: table, "sub(\(number()))")
            }
        }

        /// A statement that changes the schema or the indexes.
        private mutating func definition() -> String {
            let table = choice(["r", "w", "k"])
            return choice([
                "CREATE INDEX IF NOT EXISTS extra ON \(table) (c, b)",
                "CREATE INDEX IF NOT EXISTS extra ON \(table) (indexed(b))",
                "DROP INDEX IF EXISTS extra", "DROP INDEX IF EXISTS extra", "ANALYZE",
                "ALTER TABLE spare ADD COLUMN c\(number())", "ALTER TABLE spare RENAME COLUMN b TO b",
                "ALTER TABLE n ADD COLUMN d\(number())",
            ])
        }

        private mutating func insertion(into table: String, _ value: String) -> String {
            "INSERT \(conflict()) INTO \(table) (a, b, c) VALUES (\(value), '\(number())', \(number())), "
                + "(\(number()), '\(number())', \(number()))"
        }

        /// The statement that a call of `sub` runs, if any.
        mutating func nestedStatement() -> (sql: String, ignoresErrors: Bool)? {
            guard isActive, depth < 2, Int.random(in: 0..<2, using: &generator) == 0 else { return nil }
            depth += 1
            let sql = innerStatement()
            log.append("  \(sql)")
            return (sql, Int.random(in: 0..<4, using: &generator) > 0)
        }

        private mutating func innerStatement() -> String {
            let table = choice(["r", "w", "k", "n"])
            switch Int.random(in: 0..<16, using: &generator) {
            case 0: return "UPDATE \(conflict()) \(table) SET b = \(number())"
            case 1: return "UPDATE \(table) SET c = c + 1 WHERE a > \(number())"
            case 2: return "DELETE FROM \(table) WHERE a = \(number())"
            case 3: return "UPDATE r SET id = id + 10"
            case 4: return choice(["SAVEPOINT t", "ROLLBACK TO s", "ROLLBACK", "COMMIT", "DELETE FROM \(table)"])
            case 5: return "SELECT sub(a) FROM \(table)"
            case 6: return outerStatement()
            case 7: return "REINDEX \(choice(["", "r", "w", "k"]))"
            case 8, 9: return definition()
            case 10: return choice(["VACUUM", "PRAGMA writable_schema = RESET", "PRAGMA schema_version = \(number())"])
            default: return insertion(into: table, "\(number())")
            }
        }

        /// Fails for errors of a damaged file.
        mutating func note(_ error: any Error, _ sql: String) {
            log.append("    \(error)")
            guard let code = (error as? DatabaseError)?.resultCode else { return }
            #expect(![.SQLITE_CORRUPT, .SQLITE_INTERNAL, .SQLITE_NOTADB].contains(code), "\(sql): \(error)")
        }
    }
}
