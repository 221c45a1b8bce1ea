import Amalgam
import Foundation
import TestSupport
import Testing

/// Records whose columns have types: what they encode, update and upsert.
struct TypedColumnTests {
    struct Member: FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "player"

        enum Columns {
            static let id = TypedColumn<Int64>("id")
            static let name = TypedColumn<String>("name")
            static let score = TypedColumn<Int?>("score")
        }

        var id: Int64?
        var name: String
        var score: Int?

        init(id: Int64?, name: String, score: Int?) {
            (self.id, self.name, self.score) = (id, name, score)
        }

        init(row: Row) {
            id = row[Columns.id]
            name = row[Columns.name]
            score = row[Columns.score]
        }

        func encode(to container: inout PersistenceContainer) {
            container[Columns.id] = id
            container[Columns.name] = name
            container[Columns.score] = score
        }
    }

    @Test func encodesAndDecodes() throws {
        try withClub { db in
            let sql = #"INSERT INTO "player" ("id", "name", "score") VALUES (1,'Arthur',NULL)"#
            try expectSQL(db, [sql]) { try Member(id: 1, name: "Arthur", score: nil).insert(db) }
            try expectEqual(Member.fetchAll(db), [Member(id: 1, name: "Arthur", score: nil)])
        }
    }

    @Test func containersReturnTypedValues() throws {
        struct Visit: EncodableRecord {
            enum Columns {
                static let count = TypedColumn<Int>("count")
                /// Seconds since 1970.
                static let date = TypedColumn<Date>("date") { Int64($0.timeIntervalSince1970).databaseValue }
            }

            func encode(to container: inout PersistenceContainer) {
                #expect(container[Columns.count] == nil)
                container["COUNT"] = "ten"
                #expect(container[Columns.count] == nil)
                container[Columns.count] = 10
                #expect(container[Columns.count] == 10)
                container[Columns.date] = Date(timeIntervalSince1970: 60)
            }
        }
        try expectEqual(Visit().databaseDictionary, ["COUNT": 10.databaseValue, "date": 60.databaseValue])
    }

    @Test func updatesListedColumns() throws {
        try withClub { db in
            let member = Member(id: 1, name: "Arthur", score: 1)
            try member.insert(db)
            try expectSQL(db, [#"UPDATE "player" SET "score"=1 WHERE "id"=1"#]) {
                try member.update(db, columns: [Member.Columns.score])
            }
            try expectSQL(db, [#"UPDATE "player" SET "name"='Arthur', "score"=1 WHERE "id"=1"#]) {
                try member.update(db, columns: [Member.Columns.name, Member.Columns.score])
            }
            try expectSQL(db, [#"UPDATE "player" SET "name"='Arthur', "score"=1 WHERE "id"=1"#]) {
                try member.update(db, columns: [Member.Columns.name, Column("score")])
            }
            try expectSQL(db, [#"UPDATE "player" SET "name"='Arthur', "score"=1 WHERE "id"=1 RETURNING "id""#]) {
                let id = try member.updateAndFetch(
                    db, columns: [Member.Columns.name, Member.Columns.score], selection: [Member.Columns.id]
                ) { try Int64.fetchOne($0) }
                #expect(id == 1)
            }
        }
    }

    @Test func upsertsAssignColumns() throws {
        try withClub { db in
            try Member(id: 1, name: "Arthur", score: 1).insert(db)
            let sql = #"""
                INSERT INTO "player" ("id", "name", "score") VALUES (2,'Arthur',5) ON CONFLICT("name") DO UPDATE SET \#
                "score" = "player"."score" + "excluded"."score", "id" = "player"."id" RETURNING *
                """#
            try expectSQL(db, [sql]) {
                let member = try Member(id: 2, name: "Arthur", score: 5).upsertAndFetch(db, onConflict: ["name"]) {
                    [Member.Columns.score += $0.score, Member.Columns.id.noOverwrite]
                }
                #expect(member == Member(id: 1, name: "Arthur", score: 6))
            }
        }
    }

    @Test func upsertsOverwriteOnlyAssignedColumns() throws {
        try withClub { db in
            try Member(id: 1, name: "Arthur", score: 1).insert(db)
            let sql = #"""
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',5) ON CONFLICT("name") \#
                DO UPDATE SET "score" = "excluded"."score" RETURNING *
                """#
            try expectSQL(db, [sql]) {
                let member = try Member(id: nil, name: "Arthur", score: 5).upsertAndFetch(
                    db, onConflict: ["name"], updating: .noColumnUnlessSpecified
                ) { excluded in
                    [Member.Columns.score.set(to: excluded[Member.Columns.score])]
                }
                #expect(member == Member(id: 1, name: "Arthur", score: 5))
            }
        }
    }
}
