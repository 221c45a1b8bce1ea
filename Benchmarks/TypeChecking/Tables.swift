// Definitions of tables.

func tables(_ db: Database) throws {
    try db.create(table: "t") { t in
        t.autoIncrementedPrimaryKey("id")
        t.primaryKey("uuid", .text)
        t.column("name", .text).notNull()
        t.column("name", .text).notNull().collate(.nocase).unique()
        t.column("score", .integer).notNull().defaults(to: 0)
        t.column("score", .integer).notNull().defaults(to: 0).check { $0 >= 0 && $0 < 1000 }
        t.column("bonus", .integer).defaults(sql: "1 + 1").indexed()
        t.column("total", .integer).generatedAs(Column("score") + Column("bonus"))
        t.column("total", .integer).generatedAs(sql: "score + bonus", .stored)
        t.belongsTo("team", onDelete: .cascade).notNull()
        t.belongsTo("captain", inTable: "player", onDelete: .setNull).unique()
        t.column("cityId", .integer).references("city", onDelete: .cascade)
        t.uniqueKey(["name", "score"], onConflict: .replace)
        t.foreignKey(["a", "b"], references: "other", columns: ["c", "d"], onDelete: .cascade)
        t.check(Column("score") + Column("bonus") < 1000 && Column("score") > 0)
    }
}
