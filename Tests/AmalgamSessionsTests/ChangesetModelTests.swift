import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Random changes are applied to another database, inverted, and rebased.
@Suite struct ChangesetModelTests {
    /// The tables of the random programs without triggers. A session doesn't record rows with NULL in their keys.
    private static let tables = ModelTable.all.filter { $0.name != "noted" && $0.name != "note" }.map { table in
        switch table.name {
        case "nocase":
            ModelTable(
                name: "nocase", sql: "CREATE TABLE nocase (k TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, a, b)",
                columns: table.columns, rowID: nil, key: [0], ignoresCase: true)
        case "pair":
            ModelTable(
                name: "pair", sql: "CREATE TABLE pair (a NOT NULL, b NOT NULL, c, PRIMARY KEY (a, b))",
                columns: table.columns, rowID: nil, key: [0, 1])
        default: table
        }
    }

    private static func makeDevice(_ tables: [ModelTable]) throws -> DatabaseQueue {
        try makeQueue(tables.map(\.sql).joined(separator: ";\n"))
    }

    private func content(_ queue: DatabaseQueue, _ tables: [ModelTable]) throws -> ModelContent {
        try queue.read { try ModelContent($0, tables: tables) }
    }

    /// Records random statements, of which some fail, and some are rolled back.
    private func record(
        _ queue: DatabaseQueue, _ maker: inout StatementMaker, _ trace: inout [String]
    ) throws -> (Changeset, Patchset)? {
        let statements = (1...maker.pick([1, 2, 4, 8])).map { _ in maker.statement() }
        let undoesSome = maker.chance(20)
        trace += statements
        return try? queue.write { db in
            let session = try db.makeSession(options: .recordsImplicitRowIDs)
            for statement in statements {
                try db.inSavepoint {
                    if (try? db.execute(sql: statement)) == nil && !db.isInsideTransaction {
                        throw DatabaseError(resultCode: .SQLITE_ABORT)
                    }
                    return undoesSome && statement.count.isMultiple(of: 3) ? .rollback : .commit
                }
            }
            return try (session.changeset(), session.patchset())
        }
    }

    @Test(arguments: seeds(30)) func changesAppliedAndInverted(seed: UInt64) throws {
        let tables = Self.tables
        let (here, there, third) = try (Self.makeDevice(tables), Self.makeDevice(tables), Self.makeDevice(tables))
        var maker = StatementMaker(seed: seed, tables: tables)
        var trace = ["seed \(seed)"]
        for _ in 0..<6 {
            let before = try content(there, tables)
            guard let (changeset, patchset) = try record(here, &maker, &trace) else { continue }
            let after = try content(here, tables)
            func apply(_ changes: some RecordedChanges, to queue: DatabaseQueue, _ wanted: ModelContent) throws -> Bool
            {
                let found: ModelContent
                do {
                    _ = try queue.write { try $0.apply(changes, options: .withoutForeignKeyActions) }
                    found = try content(queue, tables)
                } catch {
                    Issue.record("\(error)\n\(changes)\n\(trace.joined(separator: "\n"))")
                    return false
                }
                let differences = found.differences(from: wanted)
                #expect(differences == [], "\(changes)\n\(trace.joined(separator: "\n"))")
                return differences.isEmpty
            }
            guard try apply(changeset, to: there, after), try apply(changeset.inverted(), to: there, before),
                try apply(changeset, to: there, after), try apply(patchset, to: third, after)
            else { return }
        }
    }

    /// Whether a row is updated from a value to one that SQL takes for equal. SQLite finds no conflict between this update
    /// and another one: see `Changeset.rebased(on:)`.
    private func updatesToEqualValues(_ changes: Changeset) throws -> Bool {
        try DatabaseQueue().read { db in
            try changes.changes().contains { change in
                try change.changedColumns.contains { column in
                    guard let old = change.oldValue(at: column), let new = change.newValue(at: column) else {
                        return false
                    }
                    return try Bool.fetchOne(db, sql: "SELECT ? IS ?", arguments: [old, new])!
                }
            }
        }
    }

    /// Two devices change the same rows. After the exchange, both have the same content.
    @Test(arguments: seeds(30)) func rebasedChanges(seed: UInt64) throws {
        let tables = [
            ModelTable(
                name: "plain", sql: "CREATE TABLE plain (id INTEGER PRIMARY KEY, a, b REAL)",
                columns: ["id", "a", "b"],
                rowID: "id"),
            ModelTable(
                name: "text", sql: "CREATE TABLE text (k TEXT NOT NULL PRIMARY KEY, a, b)", columns: ["k", "a", "b"],
                rowID: nil, key: [0]),
            ModelTable(name: "keyless", sql: "CREATE TABLE keyless (a, b)", columns: ["a", "b"], rowID: "rowid"),
        ]
        let (here, there) = try (Self.makeDevice(tables), Self.makeDevice(tables))
        var maker = StatementMaker(seed: seed, tables: tables)
        var trace = ["seed \(seed)"]
        for _ in 0..<6 {
            trace.append("here")
            guard let (local, _) = try record(here, &maker, &trace) else { continue }
            trace.append("there")
            guard let (remote, _) = try record(there, &maker, &trace) else {
                try there.write { db in _ = try db.apply(local) }
                continue
            }
            do {
                let application = try here.write { db in try db.apply(remote) { $0.replaceOrOmit } }
                try there.write { db in _ = try db.apply(local.rebased(on: application.resolutions)) }
            } catch {
                if try updatesToEqualValues(local) { return }
                Issue.record("\(error)\n\(trace.joined(separator: "\n"))")
                return
            }
            let differences = try content(there, tables).differences(from: content(here, tables))
            #expect(differences == [], "\(trace.joined(separator: "\n"))")
            if !differences.isEmpty { return }
        }
    }
}
