public import AmalgamCore

/// When a trigger runs, and for what: <https://sqlite.org/lang_createtrigger.html>.
public struct TriggerEvent: Sendable {
    fileprivate let sql: String

    /// When a row is inserted.
    public static let insert = TriggerEvent(sql: "INSERT")

    /// When a row is deleted.
    public static let delete = TriggerEvent(sql: "DELETE")

    /// When a row is updated.
    public static let update = TriggerEvent(sql: "UPDATE")

    /// When an UPDATE statement names one of these columns.
    public static func update(of columns: [String]) -> TriggerEvent {
        TriggerEvent(sql: "UPDATE OF " + columns.map(\.quotedDatabaseIdentifier).joined(separator: ", "))
    }
}

/// Whether a trigger runs before or after the row is changed, or instead.
public enum TriggerTime: String, Sendable {
    /// Before the row is changed.
    case before = "BEFORE"
    /// After the row was changed.
    case after = "AFTER"
    /// Instead of a change of a view.
    case insteadOf = "INSTEAD OF"
}

extension Database {
    /// Creates a trigger: statements that run whenever a row changes.
    ///
    /// ```swift
    /// try db.create(
    ///     trigger: "logScore", .after, .update(of: ["score"]), on: "player",
    ///     when: { old, new in old["score"] != new["score"] }
    /// ) { old, new in
    ///     ["INSERT INTO log (playerId, score) VALUES (\(new["id"]), \(new["score"]))"]
    /// }
    /// // CREATE TRIGGER "logScore" AFTER UPDATE OF "score" ON "player"
    /// // WHEN "old"."score" <> "new"."score" BEGIN
    /// //     INSERT INTO log (playerId, score) VALUES ("new"."id", "new"."score");
    /// // END
    /// ```
    ///
    /// - Parameters:
    ///   - condition: for which rows the trigger runs; for all, by default.
    ///   - statements: the statements, made of the row before (`old`) and after the change (`new`). Values are written in
    ///     the SQL.
    public func create(
        trigger name: String, _ time: TriggerTime, _ event: TriggerEvent, on table: String,
        options: TriggerOptions = [],
        when condition: ((TableAlias<Void>, TableAlias<Void>) -> any SQLExpressible)? = nil,
        statements: (TableAlias<Void>, TableAlias<Void>) throws -> [SQL]
    ) throws {
        let (old, new) = (TableAlias<Void>(anonymous: "old"), TableAlias<Void>(anonymous: "new"))
        let scope = { SQLScope(TableSource(name: table), name: $0, isQualified: true) }
        let body = try statements(old, new)
        var writer = SQLWriter(self, writesLiterals: true)
        writer.append(options.contains(.temporary) ? "CREATE TEMPORARY TRIGGER " : "CREATE TRIGGER ")
        if options.contains(.ifNotExists) { writer.append("IF NOT EXISTS ") }
        writer.append(
            "\(name.quotedDatabaseIdentifier) \(time.rawValue) \(event.sql) ON \(table.quotedDatabaseIdentifier)")
        try writer.binding([ObjectIdentifier(old): scope("old"), ObjectIdentifier(new): scope("new")]) { writer in
            if let condition { try writer.append(" WHEN ", condition(old, new).sqlExpression, "") }
            writer.append(" BEGIN\n")
            for statement in body {
                writer.append("    ")
                try statement.write(to: &writer)
                writer.append(";\n")
            }
            writer.append("END")
        }
        try execute(sql: writer.sql)
    }

    /// Drops a trigger: `DROP TRIGGER "logScore"`.
    public func drop(trigger name: String) throws {
        try execute(sql: "DROP TRIGGER \(name.quotedDatabaseIdentifier)")
    }
}
