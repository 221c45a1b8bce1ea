import AmalgamCore

/// The definition of an index: <https://sqlite.org/lang_createindex.html>.
struct IndexDefinition {
    var name: String
    var table: String
    var terms: [SQLExpression]
    var options: IndexOptions = []
    var condition: SQLExpression?

    /// Returns `CREATE UNIQUE INDEX "i" ON "player"("name") WHERE "name" IS NOT NULL`.
    func sql(_ db: Database) throws -> String {
        var writer = SQLWriter(db, writesLiterals: true)
        writer.append(options.contains(.unique) ? "CREATE UNIQUE INDEX " : "CREATE INDEX ")
        if options.contains(.ifNotExists) { writer.append("IF NOT EXISTS ") }
        writer.append("\(name.quotedDatabaseIdentifier) ON \(table.quotedDatabaseIdentifier)(")
        try writer.append(terms.map(\.node))
        writer.append(")")
        if let condition { try writer.append(" WHERE ", condition, "") }
        return writer.sql
    }
}
