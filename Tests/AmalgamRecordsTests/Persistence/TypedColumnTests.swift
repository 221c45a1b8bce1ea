#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// Records whose columns have types: what they encode, update and upsert.
struct TypedColumnTests {
    #if MACRO_RECORDS
    @Record("player")
    struct Member: Equatable {
        static var databaseSelection: [any SQLSelectable] { [.allColumns] }

        var id: Int64?
        var name: String
        var score: Int?
    }
    #else
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
    #endif

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
                static let date = TypedColumn<Date>("date", as: .unixTime)
            }

            func encode(to container: inout PersistenceContainer) {
                #expect(container[Columns.count] == nil)
                container["COUNT"] = "ten"
                #expect(container[Columns.count] == nil)
                container[Columns.count] = 10
                #expect(container[Columns.count] == 10)
                container[Columns.date] = Date(timeIntervalSince1970: 60)
                #expect(container[Columns.date] == Date(timeIntervalSince1970: 60))
            }
        }
        try expectEqual(Visit().databaseDictionary, ["COUNT": 10.databaseValue, "date": 60.databaseValue])
    }

    /// A row returns the value that a representation has stored.
    @Test func rowsReturnTheValuesOfRepresentations() throws {
        enum Columns {
            static let start = TypedColumn<Date>("start", as: .unixTime)
            static let stop = TypedColumn<Date?>("stop", as: .iso8601)
            static let title = TypedColumn<String>("title", as: JSONRepresentation())
        }
        try withClub { db in
            let sql = #"SELECT 60 AS start, '1970-01-01T00:01:00Z' AS stop, '"t"' AS title"#
            let row = try #require(try Row.fetchOne(db, sql: sql))
            #expect(row[Columns.start] == Date(timeIntervalSince1970: 60))
            #expect(row[Columns.stop] == Date(timeIntervalSince1970: 60))
            #expect(row[Columns.title] == "t")
            let null = try #require(try Row.fetchOne(db, sql: "SELECT NULL AS start, NULL AS stop, 't' AS title"))
            #expect(null[Columns.stop] == nil)
            #expect(throws: RowDecodingError.self) { try null.decode(forColumn: Columns.start) }
            #expect(throws: DecodingError.self) { try null.decode(forColumn: Columns.title) }
            let missing = try #require(try Row.fetchOne(db, sql: "SELECT 1"))
            #expect(missing[Columns.stop] == nil)
        }
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
                "score" = "score" + "excluded"."score" RETURNING *, "rowid"
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
                DO UPDATE SET "score" = "excluded"."score" RETURNING *, "rowid"
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
#endif
