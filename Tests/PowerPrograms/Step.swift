import Amalgam
import Foundation

/// A part of a program. Each step has its own seed, so that the others don't change when it is left out.
package struct Step: Hashable, Sendable, CustomStringConvertible {
    package enum Action: String, CaseIterable, Sendable {
        case insert, update, delete, documents, savepoint, rollback, attached, migrate
        case vacuum, incrementalVacuum, checkpoint, reopen, secondConnection, read
    }

    package let action: Action
    let seed: UInt64

    package init(_ action: Action, seed: UInt64) {
        self.action = action
        self.seed = seed
    }

    /// Some actions are more frequent.
    static func random(_ random: inout Random) -> Step {
        let actions = Action.allCases + [.insert, .insert, .update, .documents, .attached, .attached]
        return Step(actions.randomElement(using: &random)!, seed: random.next())
    }

    package var description: String { action.rawValue }
}

extension DatabaseWriter {
    /// Runs a step, except `checkpoint`, `reopen` and `secondConnection`.
    func run(_ step: Step, _ profile: Profile) throws {
        var random = Random(seed: step.seed)
        switch step.action {
        case .attached where !profile.hasOther: try write { db in try db.change(.insert, &random) }
        case .migrate: try migrate()
        case .read: try read { db in _ = try Row.fetchAll(db, sql: "SELECT * FROM account") }
        case .vacuum: try writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        case .incrementalVacuum: try writeWithoutTransaction { try $0.execute(sql: "PRAGMA incremental_vacuum(3)") }
        case .rollback:
            try writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.change(step.action, &random)
                    return .rollback
                }
            }
        default: try write { db in try db.change(step.action, &random) }
        }
    }

    /// Applies one more migration.
    private func migrate() throws {
        let count = try read { db in
            try db.tableExists("grdb_migrations") ? DatabaseMigrator().appliedIdentifiers(db).count : 0
        }
        var migrator = DatabaseMigrator()
        for number in 0...count {
            migrator.registerMigration("\(number)") { db in
                try db.execute(
                    sql: """
                        CREATE TABLE migrated\(number) (id INTEGER PRIMARY KEY, content BLOB);
                        INSERT INTO migrated\(number) SELECT id, note FROM account;
                        """)
            }
        }
        try migrator.migrate(self)
    }
}

extension Database {
    /// Creates the tables of a program.
    func createTables(hasOther: Bool) throws {
        try execute(
            sql: """
                CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT, balance INTEGER, note BLOB);
                CREATE INDEX account_name ON account (name);
                CREATE TABLE tag (name TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
                CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT);
                CREATE VIRTUAL TABLE search USING fts5(body, content = 'page', content_rowid = 'id');
                CREATE TRIGGER page_inserted AFTER INSERT ON page BEGIN
                    INSERT INTO search (rowid, body) VALUES (new.id, new.body);
                END;
                CREATE TRIGGER page_deleted AFTER DELETE ON page BEGIN
                    INSERT INTO search (search, rowid, body) VALUES ('delete', old.id, old.body);
                END;
                """)
        if hasOther { try execute(sql: "CREATE TABLE other.copy (id INTEGER PRIMARY KEY, content BLOB)") }
    }

    fileprivate func change(_ action: Step.Action, _ random: inout Random) throws {
        switch action {
        case .update: try updateAccounts(&random)
        case .delete: try deleteAccounts(&random)
        case .documents: try changeDocuments(&random)
        case .savepoint: try undoSavepoint(&random)
        case .attached: try changeBothFiles(&random)
        default: try insertAccounts(&random)
        }
    }

    private func insertAccounts(_ random: inout Random) throws {
        for _ in 0..<(1 + random.next(below: 4)) {
            let name = random.word()
            try execute(
                sql: "INSERT INTO account (name, balance, note) VALUES (?, ?, ?)",
                arguments: [name, random.next(below: 1000), random.bytes(random.next(below: 8) == 0 ? 6000 : 90)])
            try execute(
                sql: "INSERT INTO tag VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1", arguments: [name])
        }
    }

    private func updateAccounts(_ random: inout Random) throws {
        let remainder = random.next(below: 3)
        try execute(
            sql: "UPDATE account SET balance = balance + ?, note = ? WHERE id % 3 = ?",
            arguments: [1 + random.next(below: 100), random.bytes(60), remainder])
        try execute(sql: "UPDATE tag SET count = count + 1 WHERE name < ?", arguments: [random.word()])
    }

    private func deleteAccounts(_ random: inout Random) throws {
        try execute(sql: "DELETE FROM account WHERE id % 4 = ?", arguments: [random.next(below: 4)])
        try execute(sql: "INSERT INTO tag VALUES (?, 0) ON CONFLICT DO NOTHING", arguments: [random.word()])
    }

    private func changeDocuments(_ random: inout Random) throws {
        for _ in 0..<(1 + random.next(below: 3)) {
            let body = (0..<(3 + random.next(below: 40))).map { _ in random.word() }.joined(separator: " ")
            try execute(sql: "INSERT INTO page (body) VALUES (?)", arguments: [body])
        }
        try execute(sql: "DELETE FROM page WHERE id % 5 = ?", arguments: [random.next(below: 5)])
    }

    private func undoSavepoint(_ random: inout Random) throws {
        try insertAccounts(&random)
        try inSavepoint {
            try execute(sql: "DELETE FROM account")
            try execute(sql: "INSERT INTO account (name, note) VALUES ('undone', zeroblob(3000))")
            return .rollback
        }
    }

    private func changeBothFiles(_ random: inout Random) throws {
        try insertAccounts(&random)
        try execute(sql: "INSERT INTO other.copy (content) VALUES (?)", arguments: [random.bytes(200)])
        try execute(sql: "DELETE FROM other.copy WHERE id % 7 = ?", arguments: [random.next(below: 7)])
    }
}

extension Random {
    fileprivate mutating func word() -> String {
        let syllables = ["ba", "co", "di", "fu", "ge", "lo", "mi", "nu"]
        return (0..<(1 + next(below: 3))).map { _ in syllables[next(below: syllables.count)] }.joined()
    }

    fileprivate mutating func bytes(_ limit: Int) -> Data {
        Data((0..<(1 + next(below: limit))).map { _ in UInt8(truncatingIfNeeded: next()) })
    }
}
