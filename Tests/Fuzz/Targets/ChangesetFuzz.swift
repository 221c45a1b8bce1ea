import AmalgamConcurrency
import AmalgamCore
import AmalgamRecords
import AmalgamSessions
import Foundation

/// Changesets, patchsets and conflict resolutions of strangers.
///
/// The first byte tells what the others are. Accepted changes can be used in all ways: each gives a result or an error, and the
/// connection stays usable. If changes with all old values apply without a conflict, and so do the inverted ones, the rows are those
/// of before.
struct ChangesetFuzz: FuzzRun {
    private static let schema = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, b, c TEXT UNIQUE, d REAL);
        CREATE TABLE w (k, l, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
        CREATE TABLE f (id INTEGER PRIMARY KEY, aId REFERENCES a);
        INSERT INTO a VALUES (1, 'x', 'u', 1.5), (2, NULL, 'v', 2), (3, x'0102', 'w', -1);
        INSERT INTO w VALUES (1, 2, 3), ('a', x'00', NULL);
        INSERT INTO f VALUES (1, 1), (2, 2);
        """

    private static let changes = """
        UPDATE a SET b = 'more', d = d + 1 WHERE id = 1;
        INSERT INTO a VALUES (10, x'beef', 'q', 3.25);
        DELETE FROM a WHERE id = 3;
        UPDATE w SET v = 'vv';
        INSERT INTO f VALUES (7, 10);
        """

    private let database: DatabaseQueue
    private let other: Changeset
    private let resolutions: ConflictResolutions

    init() throws {
        database = try DatabaseQueue()
        (other, resolutions) = try database.writeWithoutTransaction { db in
            try db.execute(sql: Self.schema)
            let session = try db.makeSession()
            var changes: (Changeset, ConflictResolutions)?
            try db.inTransaction {
                try db.execute(sql: Self.changes)
                let changeset = try session.changeset()
                // The changes conflict with the rows that have them already.
                changes = (changeset, try db.apply(changeset) { $0.replaceOrOmit }.resolutions)
                return .rollback
            }
            try session.close()
            return changes!
        }
    }

    func run(_ input: FuzzInput) throws {
        var input = input
        let kind = input.number(below: 4)
        let data = Data(input.remainder)
        try database.writeWithoutTransaction { db in
            let before = try rows(db)
            switch kind {
            case 0: if let changes = try? Changeset(data: data) { try use(changes, db) }
            case 1: if let patches = try? Patchset(data: data) { try apply(patches, db) }
            case 2: if let other = try? ConflictResolutions(data: data) { _ = try? self.other.rebased(on: other) }
            default: try stream(data, db)
            }
            try expect(!db.isInsideTransaction, "a transaction is open")
            try expect(rows(db) == before, "the rows have changed after the rollback")
        }
    }

    private func use(_ changes: Changeset, _ db: Database) throws {
        _ = changes.description
        _ = try? changes + other
        _ = try? other + changes
        _ = try? changes.rebased(on: resolutions)
        _ = try? other.filtered { change in change.tableName == (try changes.first)?.tableName }
        if let group = try? Changegroup<Changeset>(schemaOf: db) {
            try? group.add(changes)
            _ = try? group.changes()
        }
        let inverse = try? changes.inverted()
        if let inverse { try expect((try? inverse.inverted()) != nil, "the inverse can't be inverted: \(changes)") }
        try apply(changes, db)
        if let inverse, try hasAllOldValues(changes), try hasAllOldValues(inverse) {
            try applyBothWays(changes, inverse, db)
        }
    }

    /// Whether each new value has an old one, as in the changesets that SQLite makes. Otherwise, the inverse doesn't know the old value.
    /// SQLite doesn't show an old value without a new one, which is the opposite in the inverse.
    private func hasAllOldValues(_ changes: Changeset) throws -> Bool {
        let cursor = try changes.changes()
        while let change = try cursor.next() {
            let columns = change.operation == .update ? 0..<4 : 0..<0
            if columns.contains(where: { change.newValue(at: $0) != nil && change.oldValue(at: $0) == nil }) {
                return false
            }
        }
        return true
    }

    private func applyBothWays(_ changes: Changeset, _ inverse: Changeset, _ db: Database) throws {
        try rollingBack(db) {
            let before = try rows(db)
            do {
                // A conflict throws.
                try db.apply(changes, options: .withoutForeignKeyActions)
                try db.apply(inverse, options: .withoutForeignKeyActions)
            } catch is DatabaseError {
                return
            }
            try expect(rows(db) == before, "the inverse doesn't restore the rows: \(changes)")
        }
    }

    private func apply(_ changes: some RecordedChanges, _ db: Database) throws {
        for options: ApplyOptions in [[], .ignoringNoOps, .withoutForeignKeyActions] {
            try rollingBack(db) {
                _ = try? db.apply(changes, options: options) { conflict in
                    _ = try? conflict.currentRow(db)
                    return conflict.change == nil ? .omit : conflict.replaceOrOmit
                }
            }
        }
    }

    /// Streams, which SQLite reads unchecked.
    private func stream(_ data: Data, _ db: Database) throws {
        let input = ChangesetInput.data(data)
        let nowhere = ChangesetOutput { _ in }
        try? Changeset.writeInverse(of: input, to: nowhere)
        try? Changeset.writeRebased(input, on: [resolutions], to: nowhere)
        try? Changegroup<Changeset>().add(from: input)
        try? Changegroup<Patchset>(schemaOf: db).add(from: input)
        if let cursor = try? RecordedChangeCursor(input) { while (try? cursor.next()) != nil {} }
        try rollingBack(db) { _ = try? db.apply(from: input) { conflict in conflict.replaceOrOmit } }
    }

    private func rollingBack(_ db: Database, _ body: () throws -> Void) throws {
        try db.inTransaction {
            try body()
            return .rollback
        }
    }

    private func rows(_ db: Database) throws -> [String] {
        try ["a", "w", "f"].flatMap { table in
            try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map(\.debugDescription)
        }
    }
}
