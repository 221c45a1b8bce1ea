import Amalgam
import TestSupport
import Testing

/// Records of one type are compared by the columns that both of them have.
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

    private struct Narrow: PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        var name: String

        func encode(to container: inout PersistenceContainer) {
            container["ID"] = id
            container["NAME"] = name
        }
    }

    private struct Wide: Codable, PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        var name: String
        var score: Int?
    }

    @Test(
        "records of different types: columns are compared regardless of case, and a column that only the newer has differs"
    )
    func differentTypes() throws {
        let narrow = Narrow(id: 1, name: "Arthur")
        expectEqual(try Wide(id: 1, name: "Arthur", score: 5).databaseChanges(from: narrow), ["score": .null])
        expectEqual(try Wide(id: 1, name: "Arthur", score: nil).databaseChanges(from: narrow), [:])
        expectEqual(try narrow.databaseChanges(from: Wide(id: 1, name: "Arthur", score: 5)), [:])
        expectEqual(
            try narrow.databaseChanges(from: Wide(id: 1, name: "Barbara", score: 5)), ["NAME": "Barbara".databaseValue])
        try withClub { db in
            try db.execute(sql: "INSERT INTO player (id, name, score) VALUES (1, 'Arthur', 1)")
            try expectSQL(db, [#"UPDATE "player" SET "score"=5 WHERE "id"=1"#]) {
                try Wide(id: 1, name: "Arthur", score: 5).updateChanges(db, from: narrow)
            }
        }
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
