public import AmalgamCore

/// The event that runs a trigger: <https://sqlite.org/lang_createtrigger.html>.
///
/// ```swift
/// let event: TriggerEvent = .update(of: ["score"])
/// // UPDATE OF "score"
/// ```
public struct TriggerEvent: Sendable {
    fileprivate let sql: String

    /// A row is inserted.
    public static let insert = TriggerEvent(sql: "INSERT")

    /// A row is deleted.
    public static let delete = TriggerEvent(sql: "DELETE")

    /// A row is updated.
    public static let update = TriggerEvent(sql: "UPDATE")

    /// Returns the event of an UPDATE statement that assigns one of the given columns.
    ///
    /// ```swift
    /// TriggerEvent.update(of: ["score", "name"])
    /// // UPDATE OF "score", "name"
    /// ```
    public static func update(of columns: [String]) -> TriggerEvent {
        TriggerEvent(sql: "UPDATE OF " + columns.map(\.quotedDatabaseIdentifier).joined(separator: ", "))
    }
}

/// The time at which a trigger runs, relative to the change of a row.
public enum TriggerTime: String, Sendable {
    /// Before the row is changed.
    case before = "BEFORE"
    /// After the row was changed.
    case after = "AFTER"
    /// Instead of the change. Only triggers on views can have this time.
    case insteadOf = "INSTEAD OF"
}

extension Database {
    /// Creates a trigger, whose statements run for each changed row.
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
    ///   - name: the name of the trigger.
    ///   - time: the time at which the trigger runs.
    ///   - event: the event that runs the trigger.
    ///   - table: the table or view.
    ///   - options: the options of the trigger.
    ///   - condition: a closure that returns the `WHEN` condition. Its arguments are the row before the change (`old`)
    ///     and after the change (`new`). By default, the trigger runs for all rows.
    ///   - statements: a closure with the same arguments that returns the statements. Values are written into the SQL,
    ///     not bound.
    /// - Throws: the error of the closure, or a ``DatabaseError``, for example if the trigger exists.
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
            if let condition { try writer.append(" WHEN ", condition(old, new).conditionExpression, "") }
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

    /// Drops a trigger.
    ///
    /// ```swift
    /// try db.drop(trigger: "logScore")
    /// // DROP TRIGGER "logScore"
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, for example if the trigger doesn't exist.
    public func drop(trigger name: String) throws {
        try execute(sql: "DROP TRIGGER \(name.quotedDatabaseIdentifier)")
    }
}
