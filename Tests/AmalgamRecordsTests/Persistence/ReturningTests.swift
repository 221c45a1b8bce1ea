#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

struct ReturningTests {
    #if MACRO_RECORDS
    @Record
    #endif
    struct PartialPlayer: MutableStoredRecord {
        static let databaseTableName = "player"
        static var databaseSelection: [any SQLSelectable] { [.allColumns] }
        var id: Int64?
        var name: String
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        typealias Columns = Player.Columns
    }

    @Test func insertsAndFetches() throws {
        try withClub { db in
            try expectSQL(db, [#"INSERT INTO "player" ("id", "name") VALUES (NULL,'Arthur') RETURNING *"#]) {
                var partial = PartialPlayer(id: nil, name: "Arthur")
                let player = try partial.insertAndFetch(db, as: Player.self)
                #expect(player == Player(id: 1, name: "Arthur", score: 1000))
                #expect(partial.id == 1)
            }
            let fetched = try Player(id: nil, name: "Barbara", score: 5).insertAndFetch(db)
            #expect(fetched == Player(id: 2, name: "Barbara", score: 5))
        }
    }

    @Test func insertsAndFetchesColumns() throws {
        try withClub { db in
            var player = PartialPlayer(id: nil, name: "Arthur")
            try expectSQL(db, [#"INSERT INTO "player" ("id", "name") VALUES (NULL,'Arthur') RETURNING "score""#]) {
                let score = try player.insertAndFetch(db, selection: [Column("score")]) { try Int.fetchOne($0) }
                #expect(score == 1000)
            }
            #expect(player.id == 1)
            player = PartialPlayer(id: nil, name: "Barbara")
            try expectSQL(db, [#"INSERT INTO "player" ("id", "name") VALUES (NULL,'Barbara') RETURNING "score""#]) {
                let score = try player.insertAndFetch(db) {
                    try Int.fetchOne($0)
                } select: {
                    [$0.score]
                }
                #expect(score == 1000)
            }
            player = PartialPlayer(id: nil, name: "Craig")
            try expectSQL(
                db, [#"INSERT INTO "player" ("id", "name") VALUES (NULL,'Craig') RETURNING "id", "name""#]
            ) {
                let row = try player.insertAndFetch(db, selection: [.allColumns(excluding: ["score"])]) {
                    try Row.fetchOne($0)
                }
                #expect(row == ["id": 3, "name": "Craig"])
            }
        }
    }

    @Test func tellsThatAnInsertionWasIgnored() throws {
        try withClub { db in
            let france = Country(isoCode: "FR", name: "France")
            try france.insert(db)
            expectThrows(RecordError.self, #"Key not found in table country: [isoCode:"FR"]"#) {
                _ = try france.insertAndFetch(db, onConflict: .ignore, as: Country.self)
            }
            let name = try france.insertAndFetch(db, onConflict: .ignore, selection: [Column("name")]) {
                try String.fetchOne($0)
            }
            #expect(name == nil)
            expectThrows(RecordError.self, #"Key not found in table country: [isoCode:"FR"]"#) {
                _ = try france.saveAndFetch(db, onConflict: .ignore).self
                try db.execute(
                    sql:
                        "DELETE FROM country; CREATE TRIGGER t BEFORE INSERT ON country BEGIN SELECT RAISE(IGNORE); END"
                )
                _ = try france.saveAndFetch(db)
            }
        }
    }

    @Test func refusesAnEmptySelectionAndAClosureThatDoesNothing() throws {
        try withClub { db in
            var player = PartialPlayer(id: nil, name: "Arthur")
            expectDatabaseError(.SQLITE_MISUSE, "Invalid empty selection") {
                try player.insertAndFetch(db, selection: []) { _ in }
            }
            expectDatabaseError(
                .SQLITE_MISUSE, "The closure that fetches has not run the statement: nothing was written."
            ) {
                try player.insertAndFetch(db, selection: [.allColumns]) { _ in }
            }
            expectEqual(try Player.fetchCount(db), 0)
        }
    }

    @Test func updatesAndFetches() throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 7)")
            let player = PartialPlayer(id: 1, name: "Barbara")
            try expectSQL(db, [#"UPDATE "player" SET "name"='Barbara' WHERE "id"=1 RETURNING *"#]) {
                let updated = try player.updateAndFetch(db, as: Player.self)
                #expect(updated == Player(id: 1, name: "Barbara", score: 7))
            }
            try expectSQL(db, [#"UPDATE "player" SET "name"='Barbara' WHERE "id"=1 RETURNING "score" * 2"#]) {
                let score = try player.updateAndFetch(db, selection: [Column("score") * 2]) { try Int.fetchOne($0) }
                #expect(score == 14)
            }
            try expectSQL(db, [#"UPDATE "player" SET "name"='Barbara' WHERE "id"=1 RETURNING "score""#]) {
                _ = try player.updateAndFetch(db, columns: ["NAME"], selection: [Column("score")]) {
                    try Int.fetchOne($0)
                }
            }
            expectEqual(try player.updateAndFetch(db).name, "Barbara")
            expectThrows(RecordError.self, "Key not found in table player: [id:2]") {
                _ = try PartialPlayer(id: 2, name: "Craig").updateAndFetch(db)
            }
        }
    }

    @Test func savesAndFetches() throws {
        try withClub { db in
            var player = PartialPlayer(id: nil, name: "Arthur")
            try expectSQL(db, [#"INSERT INTO "player" ("id", "name") VALUES (NULL,'Arthur') RETURNING *"#]) {
                expectEqual(try player.saveAndFetch(db, as: Player.self), Player(id: 1, name: "Arthur", score: 1000))
            }
            try expectSQL(db, [#"UPDATE "player" SET "name"='Arthur' WHERE "id"=1 RETURNING *"#]) {
                expectEqual(try player.saveAndFetch(db, as: Player.self), Player(id: 1, name: "Arthur", score: 1000))
            }
            player = PartialPlayer(id: 5, name: "Barbara")
            try expectSQL(
                db,
                [
                    #"UPDATE "player" SET "name"='Barbara' WHERE "id"=5 RETURNING "score""#,
                    #"INSERT INTO "player" ("id", "name") VALUES (5,'Barbara') RETURNING "score""#,
                ]
            ) {
                let score = try player.saveAndFetch(db, selection: [Column("score")]) { try Int.fetchOne($0) }
                #expect(score == 1000)
            }
        }
    }

    @Test func returnsChangedRowsOfRequests() throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 7), (2, 'Barbara', 8)")
            let updated = try Player.all().updateAndFetchAll(db) { [$0.score += 10] }
            #expect(updated.map(\.score) == [17, 18])
            let deleted = try Player.filter { $0.score == 17 }.deleteAndFetchSet(db)
            #expect(deleted == [Player(id: 1, name: "Arthur", score: 17)])
            expectEqual(try Player.fetchAll(db).map(\.name), ["Barbara"])
        }
    }

    @Test func changesNothingWithoutAnAssignment() throws {
        try withClub { db in
            let request = Player.all()
            let updates: [() throws -> Void] = [
                { _ = try request.updateAndFetchAll(db, []) },
                { _ = try request.updateAndFetchAll(db) { _ in [] } },
                { _ = try request.updateAndFetchSet(db, []) },
                { _ = try request.updateAndFetchSet(db) { _ in [] } },
                { _ = try request.updateAndFetchCursor(db, []) },
                { _ = try request.updateAndFetchStatement(db, [], selection: [.allColumns]) },
            ]
            for update in updates {
                let error = #expect(throws: DatabaseError.self) { try update() }
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(error?.message == "Invalid empty assignments")
            }
        }
    }
}
#endif
