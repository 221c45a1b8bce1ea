import Amalgam
import TestSupport
import Testing

/// Records are compared by the columns that both of them have.
struct RecordChangesTests {
    private struct Partial: PersistableRecord {
        static let databaseTableName = "player"
        var columns: [String: Int]

        func encode(to container: inout PersistenceContainer) {
            for (column, value) in columns.sorted(by: { $0.key < $1.key }) { container[column] = value }
        }
    }

    @Test("columns that only one record has don't count")
    func commonColumns() throws {
        let record = Partial(columns: ["id": 1, "score": 2, "bonus": 3])
        let other = Partial(columns: ["id": 1, "score": 5, "age": 4])
        expectEqual(try record.databaseChanges(from: other), ["score": 5.databaseValue])
        #expect(!record.databaseEquals(other))
        #expect(record.databaseEquals(Partial(columns: ["ID": 1, "age": 4])))
    }

    @Test("a record without columns equals itself, and has no changes")
    func noColumns() throws {
        try withClub { db in
            var empty = Partial(columns: [:])
            #expect(empty.databaseEquals(empty))
            expectEqual(try empty.databaseChanges(from: Partial(columns: ["id": 1])), [:])
            expectEqual(try empty.updateChanges(db, from: Partial(columns: ["id": 1])), false)
            expectEqual(try empty.updateChanges(db) { _ in }, false)
            expectDatabaseError(.SQLITE_MISUSE, "Partial: invalid empty persistence container") { try empty.update(db) }
        }
    }

    @Test("an update writes the columns that both records have, and that differ")
    func updates() throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player (id, name, score) VALUES (1, 'Arthur', 1)")
            let record = Partial(columns: ["id": 1, "score": 2])
            try expectSQL(db, [#"UPDATE "player" SET "score"=2 WHERE "id"=1"#]) {
                try record.updateChanges(db, from: Partial(columns: ["id": 1, "score": 1, "bonus": 3]))
            }
            try expectSQL(db, []) { try record.updateChanges(db, from: Partial(columns: ["id": 1])) }
        }
    }
}
