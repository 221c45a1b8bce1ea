extension Action {
    /// The SQL of actions that run one statement.
    ///
    /// - Parameter number: makes the names of new objects differ.
    func sql(_ number: Int) -> String? { dataSQL ?? schemaSQL(number) ?? definitionSQL(number) ?? settingSQL(number) }

    private var dataSQL: String? {
        switch self {
        case .read: "SELECT COUNT(*), MAX(a) FROM t"
        case .insert: "INSERT INTO u (n) VALUES (7)"
        case .update: "UPDATE t SET b = b || '.' WHERE id > 2"
        case .delete: "DELETE FROM t WHERE id = 2"
        case .truncate: "DELETE FROM u"
        case .replace: "REPLACE INTO t (id, a, b) VALUES (3, 0, 'r')"
        case .insertDocument: "INSERT INTO doc (body) VALUES ('green one')"
        case .searchDocuments: "SELECT hits(doc) FROM doc WHERE doc MATCH 'green OR red'"
        case .selectTable: "SELECT * FROM vt WHERE rowid = 1"
        case .updateTable: "UPDATE vt SET value = 0"
        default: nil
        }
    }

    private func schemaSQL(_ number: Int) -> String? {
        switch self {
        case .addColumn: "ALTER TABLE spare1 ADD COLUMN z\(number)"
        case .addColumnHere: "ALTER TABLE t ADD COLUMN z\(number)"
        case .renameTable: "ALTER TABLE spare3 RENAME TO renamed\(number)"
        case .dropColumn: "ALTER TABLE spare1 DROP COLUMN y"
        case .dropTable: "DROP TABLE spare2"
        case .dropIndex: "DROP INDEX t_a"
        case .dropTrigger: "DROP TRIGGER child_gone"
        case .dropVirtualTable: "DROP TABLE vt"
        case .vacuum: "VACUUM"
        case .reindex: "REINDEX"
        case .analyze: "ANALYZE"
        default: nil
        }
    }

    private func definitionSQL(_ number: Int) -> String? {
        switch self {
        case .createTable: "CREATE TABLE c\(number) (x)"
        case .createIndex: "CREATE INDEX i\(number) ON t (a, b)"
        case .createTrigger:
            "CREATE TRIGGER g\(number) AFTER UPDATE ON t BEGIN INSERT INTO u (n) VALUES (new.a); END"
        case .createView: "CREATE TEMP VIEW v\(number) AS SELECT * FROM t"
        case .expandSchema: "CREATE TEMP TABLE x\(number) AS SELECT f(a) AS y FROM t"
        case .attach: "ATTACH ':memory:' AS aux\(number)"
        case .detach: "DETACH aux\(number - 1)"
        default: nil
        }
    }

    private func settingSQL(_ number: Int) -> String? {
        switch self {
        case .savepoint: "SAVEPOINT s"
        case .release: "RELEASE s"
        case .rollbackTo: "ROLLBACK TO s"
        case .foreignKeys: "PRAGMA foreign_keys = \(number % 2)"
        case .userVersion: "PRAGMA user_version = \(number)"
        case .journalMode: "PRAGMA journal_mode = \(number % 2 == 0 ? "DELETE" : "WAL")"
        case .recursiveTriggers: "PRAGMA recursive_triggers = \(number % 2)"
        case .cacheSize: "PRAGMA cache_size = 10"
        default: nil
        }
    }
}
