import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct SchemaNamesTests {
    @Test func columnTypes() {
        let types: [Database.ColumnType] = [
            .text, .jsonText, .json, .jsonb, .integer, .double, .real, .numeric, .boolean, .blob, .date, .datetime,
            .any,
        ]
        #expect(
            types.map(\.rawValue) == [
                "TEXT", "TEXT", "TEXT", "BLOB", "INTEGER", "DOUBLE", "REAL", "NUMERIC", "BOOLEAN", "BLOB", "DATE",
                "DATETIME", "ANY",
            ])
        #expect(Database.ColumnType(rawValue: "VARCHAR(10)").rawValue == "VARCHAR(10)")
    }

    @Test func storageClasses() {
        let classes: [Database.StorageClass] = [.integer, .real, .text, .blob]
        #expect(classes.map(\.rawValue) == ["INTEGER", "REAL", "TEXT", "BLOB"])
    }

    @Test func conflictsAndActions() {
        let resolutions: [Database.ConflictResolution] = [.rollback, .abort, .fail, .ignore, .replace]
        #expect(resolutions.map(\.rawValue) == ["ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"])
        let actions: [Database.ForeignKeyAction] = [.cascade, .restrict, .setNull, .setDefault]
        #expect(actions.map(\.rawValue) == ["CASCADE", "RESTRICT", "SET NULL", "SET DEFAULT"])
        #expect(Database.ForeignKeyAction(rawValue: "NO ACTION") == nil)
    }

    @Test func collations() throws {
        let names: [Database.CollationName] = [.binary, .nocase, .rtrim]
        #expect(names.map(\.rawValue) == ["BINARY", "NOCASE", "RTRIM"])
        try DatabaseKind.memory.run { db in
            let query: SQL = "SELECT 'a' = 'A' COLLATE \(.nocase)"
            let sql = try query.build(db).sql
            #expect(sql == "SELECT 'a' = 'A' COLLATE NOCASE")
            #expect(try Bool.fetchOne(db.makeStatement(literal: query)) == true)
            let strange: SQL = "COLLATE \(Database.CollationName(rawValue: "my \"own\""))"
            #expect(try strange.build(db).sql == "COLLATE \"my \"\"own\"\"\"")
        }
    }
}
