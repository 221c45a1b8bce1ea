import Amalgam
import Foundation
import Synchronization

extension Simulation {
    // MARK: The schema

    func alter(_ alteration: Step.Alteration, _ connection: Int) throws {
        let writer = try world.connection(connection)
        let before = model
        let isAboutBooks = alteration == .rebuildBook || alteration == .exchangeBooks
        try whileReading(.rows(isAboutBooks ? "book" : alteration == .rename ? "player" : "team")) {
            if let sql = alteration.sql {
                try writer.write { db in try db.execute(sql: sql) }
            } else {
                try writer.write { db in try Self.rebuildBook(db) }
            }
            switch alteration {
            case .rebuildBook:
                for index in model.rows("book").indices { model.tables["book"]!.rows[index].values.reverse() }
            case .exchangeBooks:
                for (table, values) in [("book", ["a b", "c"]), ("page", ["a", "d d d"])] {
                    let next = (model.rows(table).last?.rowID ?? 0) + 1
                    model.tables[table]!.rows.append(Model.Row(rowID: next, values: values.map { .text($0) }))
                }
                (model.tables["book"], model.tables["page"]) = (model.tables["page"], model.tables["book"])
            default: break
            }
        }
        undo.schemaDidChange()
        if before.tables != model.tables { didCommit(model, connection: connection, isReported: false) }
    }

    /// Creates the full-text table again. The documents exchange their columns, so that their lengths change.
    private static func rebuildBook(_ db: Database) throws {
        let rows = try Row.fetchAll(db, sql: "SELECT rowid, title, body FROM book ORDER BY rowid DESC")
        try db.execute(sql: "DROP TABLE book; CREATE VIRTUAL TABLE book USING fts5(title, body)")
        for row in rows {
            try db.execute(
                sql: "INSERT INTO book (rowid, title, body) VALUES (?, ?, ?)",
                arguments: [row[0] as Int64, row[2] as String?, row[1] as String?])
        }
    }

    func migrate(_ count: Int) throws {
        var migrator = DatabaseMigrator()
        for number in 1...count {
            migrator.registerMigration("m\(number)") { db in try db.execute(sql: "CREATE TABLE migrated\(number) (a)") }
        }
        let writer = try world.connection(0)
        if count < migrations { return skip() }
        try whileReading(.rows("team")) { try migrator.migrate(writer) }
        migrations = max(migrations, count)
        let names = try writer.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE name LIKE 'migrated%'")
        }
        try expect(.outcomes, names.count == migrations, "the migrations have created \(names)")
        undo.schemaDidChange()
    }

    /// Writes to the main file and to an attached one, in one transaction.
    func attach(_ value: Int64) throws {
        let path = world.folder.appendingPathComponent("side.sqlite").path
        let values = try world.connection(0).writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS side", arguments: [path])
            defer { try? db.execute(sql: "DETACH side") }
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS side.stored (a)")
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO team (team, city) VALUES ('side', ?)", arguments: [value])
                try db.execute(sql: "INSERT INTO side.stored VALUES (?)", arguments: [value])
                return .commit
            }
            return try Int64.fetchAll(db, sql: "SELECT a FROM side.stored ORDER BY rowid")
        }
        attached.append(value)
        try expect(.outcomes, values == attached, "the attached file has \(values), and not \(attached)")
        let next = (model.rows("team").last?.rowID ?? 0) + 1
        model.tables["team"]!.rows.append(Model.Row(rowID: next, values: [.text("side"), .integer(value)]))
        didCommit(model, connection: 0)
    }

    // MARK: Files

    /// VACUUM may give new rowids to rows of tables without an `INTEGER PRIMARY KEY`.
    func vacuum() throws {
        try world.connection(0).vacuum()
        let content = try world.connection(0).read { db in try Model(db) }
        for table in Schema.tables where table.rowIDColumn == nil && !table.isWithoutRowID && !table.isVirtual {
            let rows = content.rows(table.name)
            if rows == model.rows(table.name) || rows.map(\.values) != model.rows(table.name).map(\.values) { continue }
            model.tables[table.name]!.rows = rows
            renumbered.insert(table.name)
        }
        undo.schemaDidChange()
    }

    func checkpoint(_ mode: Step.Checkpoint) throws {
        let kind: Database.CheckpointMode =
            switch mode {
            case .passive: .passive
            case .full: .full
            case .restart: .restart
            case .truncate: .truncate
            }
        do {
            try world.connection(0).writeWithoutTransaction { db in _ = try db.checkpoint(kind) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && snapshot != nil {
            // The snapshot needs the WAL file.
        }
    }

    /// A suspended database refuses writes, and keeps nothing of them.
    func suspend(_ transaction: Transaction) throws {
        var transaction = transaction
        transaction.connection = 0
        let writer = try world.connection(0)
        (writer as? DatabasePool)?.suspend()
        (writer as? DatabaseQueue)?.suspend()
        let report = transaction.run(in: writer)
        (writer as? DatabasePool)?.resume()
        (writer as? DatabaseQueue)?.resume()
        // In a rollback journal mode, each access needs a lock; a write does in every mode.
        try expect(
            .outcomes, report.error != nil || transaction.statements.isEmpty, "a suspended database writes: \(report)")
    }

    func backUp() throws {
        try copy?.queue.close()
        let queue = try DatabaseQueue()
        copy = (queue, model)
        try world.connection(0).backup(to: queue)
        try queue.read { db in try checkContent(db) }
    }

    /// Replaces the content of the open database with that of the copy.
    func restore() throws {
        guard let copy else { return skip() }
        try copy.queue.backup(to: world.connection(0))
        model = copy.model
        model.tables["counted"]!.sequence = try copy.queue.read { db in try Self.sequence(db) }
        world.history.removeAll()
        undo = UndoModel()
        migrations = try copy.queue.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'migrated%'") ?? 0
        }
        didCommit(model, connection: 0)
    }

    func openSnapshot() throws {
        guard let pool = try world.connection(0) as? DatabasePool else { return skip() }
        snapshot = (try pool.makeSnapshot(), model)
    }

    func reopen(_ index: Int) throws {
        for observation in observations.filter({ $0.plan.connection == index }) { try finish(observation) }
        observations.removeAll { $0.plan.connection == index }
        if index == 0 { snapshot = nil }
        try world.close(index)
        _ = try world.connection(index)
    }

    // MARK: Changesets

    /// Applies the changeset of a transaction to a copy of the database, and inverts it there.
    func recordChangeset(_ transaction: Transaction) throws {
        var transaction = transaction
        transaction.kind = .transaction
        transaction.isRolledBack = false
        let writer = try world.connection(transaction.connection)
        let other = try DatabaseQueue()
        defer { try? other.close() }
        try writer.backup(to: other)
        let before = model
        // Documented: rows with NULL in their key, virtual tables, and tables without a key are left out.
        let tables = Schema.tables.filter {
            !$0.isVirtual && $0.kind != .nullableKey && $0.kind != .keyless && $0.name != "strictest"
                && $0.name != "pair"
        }
        let changes = Mutex<Changeset?>(nil)
        let report = transaction.run(in: writer) { db, body in
            let changeset = try db.recordChanges(tables: tables.map(\.name), body)
            changes.withLock { $0 = changeset }
        }
        try compare(report, of: transaction)
        guard report.isCommitted, let changeset = changes.withLock({ $0 }) else { return }
        try other.write { db in
            try db.setEnabled(.triggers, false)
            _ = try db.apply(changeset, options: .withoutForeignKeyActions)
        }
        let changed = tables.filter { before.rows($0.name) != model.rows($0.name) }.map(\.name)
        try compare(try other.read { db in try Model(db) }, model, tables, changed, "applied")
        try other.write { db in _ = try db.apply(changeset.inverted(), options: .withoutForeignKeyActions) }
        try compare(try other.read { db in try Model(db) }, before, tables, changed, "inverted")
    }

    /// Compares a content with the expected one. A table that the changeset doesn't change tells nothing.
    private func compare(
        _ content: Model, _ expected: Model, _ tables: [TableSpec], _ changed: [String], _ what: String
    ) throws {
        for table in tables {
            let (mine, its) = (content.rows(table.name).map(\.values), expected.rows(table.name).map(\.values))
            try expect(
                .changesets, "\(mine.map(\.description).sorted())" == "\(its.map(\.description).sorted())",
                isMeaningful: changed.contains(table.name), "\(what), \(table.name) has \(mine), and not \(its)")
        }
    }

    // MARK: Statements with restrictions

    func sandboxedWrite(_ write: Step.SandboxedWrite) throws {
        var sandbox = Sandbox.readWrite(tables: ["player"])
        sandbox.hideColumns(["team"], of: "player")
        let hiding = sandbox
        let before = model
        let result = try world.connection(0).write { db -> Result<[[Value]], any Error> in
            var result = Result<[[Value]], any Error>.success([])
            try db.inSavepoint {
                result = Result {
                    try db.sandboxed(hiding) { try Row.fetchAll(db, sql: write.rawValue).map(Value.list) }
                }
                if !db.isInsideTransaction {
                    throw SimulationError("sandbox: \(write.rawValue) has ended the transaction")
                }
                return .rollback
            }
            return result
        }
        if case .failure(let error) = result {
            return try expect(
                .sandbox, (error as? DatabaseError)?.resultCode == .SQLITE_AUTH, "\(write.rawValue) throws \(error)")
        }
        // Documented: a hidden column can't be inserted, and statements that may end a transaction are refused.
        try expect(.sandbox, write != .insertion && write != .rollback, "\(write.rawValue) is allowed")
        let values = try result.get()
        let secrets = Set(before.rows("player").map { $0.values[1] }.filter { !$0.isNull })
        let columns = write == .returningAll ? [1] : [0]
        let read = values.flatMap { row in columns.map { row[$0] } }.filter { !$0.isNull }
        try expect(
            .sandbox, read.isEmpty, isMeaningful: !secrets.isEmpty, "\(write.rawValue) reads a hidden column: \(read)")
    }

    func runNested(_ nested: Step.Nested) throws {
        let (outer, statement): (String, String) =
            switch nested {
            case .insertion: ("UPDATE letters SET a = inner('x')", "INSERT INTO team (team, city) VALUES ('inner', 1)")
            case .failure: ("UPDATE letters SET a = inner('x')", "INSERT INTO player (id) VALUES (50), (50)")
            case .query: ("SELECT inner('x') FROM letters", "INSERT INTO team (team, city) VALUES ('inner', 1)")
            }
        let result = Result {
            try world.connection(0).write { db in
                let function = DatabaseFunction("inner", argumentCount: 1) { [db = UnsafeConnection(db)] _ in
                    try? db.connection.execute(sql: statement)
                    return 7
                }
                db.add(function: function)
                defer { db.remove(function: function) }
                _ = try Row.fetchAll(db, sql: outer)
            }
        }
        // A refused statement has no effect, which the comparison of all rows shows.
        if case .failure(let error) = result {
            return try expect(.outcomes, error is DatabaseError, isMeaningful: false, "\(outer) throws \(error)")
        }
        var expected = model
        for index in model.rows("letters").indices {
            if nested != .query { expected.tables["letters"]!.rows[index].values[1] = .integer(7) }
            if nested == .failure { continue }
            let next = (expected.rows("team").last?.rowID ?? 0) + 1
            expected.tables["team"]!.rows.append(Model.Row(rowID: next, values: [.text("inner"), .integer(1)]))
        }
        model = expected
        didCommit(model, connection: 0)
    }

    /// Cancels the task of a write: the write is done as a whole, or not at all.
    func cancel(_ transaction: Transaction, _ awaits: Int) throws {
        let writer = try world.connection(transaction.connection)
        var transaction = transaction
        transaction.kind = .transaction
        coverage.count("cancellations", Transaction.cancellations[awaits])
        switch transaction.runCancelled(in: writer, awaits: awaits) {
        case .success(let report): try compare(report, of: transaction)
        case .failure(let error):
            try expect(.outcomes, Transaction.mayEndCancelledWrite(error), "a cancelled write throws \(error)")
            try writer.read { db in try checkContent(db) }
        }
    }

    /// A row that is too large for the audit log: the transaction has no effect then.
    func writeOversized(_ id: Int64) throws {
        let result = Result {
            try world.connection(0).write { db in
                let limit = try db.setLimit(.length, to: 4000)
                defer { _ = try? db.setLimit(.length, to: limit) }
                try db.execute(sql: "INSERT INTO team (team, city) VALUES ('before', ?)", arguments: [id])
                let large = String(repeating: "x", count: 3000)
                try db.execute(sql: "INSERT INTO player (id, team) VALUES (?, ?)", arguments: [900 + id, large])
                _ = try? db.execute(sql: "UPDATE player SET team = 'y' || team WHERE id = ?", arguments: [900 + id])
                try db.execute(sql: "INSERT INTO team (team, city) VALUES ('after', ?)", arguments: [id])
                throw SimulationError("planned")
            }
        }
        _ = result
        try world.connection(0).read { db in try checkContent(db) }
    }
}

/// A connection that a function of the same access uses.
private struct UnsafeConnection: @unchecked Sendable {
    let connection: Database

    init(_ connection: Database) { self.connection = connection }
}
