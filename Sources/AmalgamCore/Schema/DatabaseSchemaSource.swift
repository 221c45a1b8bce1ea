/// A source of schema information that SQL can't declare: the primary keys of views.
///
/// ```swift
/// struct ViewKeys: DatabaseSchemaSource {
///     func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
///         view.name == "captain" ? ["playerId"] : nil
///     }
/// }
///
/// var config = Configuration()
/// config.schemaSource = ViewKeys()
/// let dbQueue = try DatabaseQueue(path: path, configuration: config)
/// let key = try dbQueue.read { db in try db.primaryKey("captain") }
/// key.columns   // ["playerId"]
/// ```
public protocol DatabaseSchemaSource: Sendable {
    /// Returns the columns that identify the rows of a view.
    ///
    /// The view must have these columns, and they must never be NULL. Each connection caches the returned columns until
    /// the schema changes. It doesn't cache nil, an empty array, or the columns of a temporary view.
    ///
    /// - Returns: nil if the source doesn't know the view, so that the next source is asked (see ``then(_:)``); an
    ///   empty array if the view has no primary key.
    /// - Throws: any error, which the look-up rethrows.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// Returns nil, and never throws: the source doesn't know the view.
    public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { nil }

    /// Returns a source that asks another source if this one returns nil.
    ///
    /// ```swift
    /// config.schemaSource = ViewKeys().then(DefaultKeys())
    /// ```
    public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
        SchemaSourceChain(first: self, second: other)
    }
}

private struct SchemaSourceChain<First: DatabaseSchemaSource, Second: DatabaseSchemaSource>: DatabaseSchemaSource {
    let first: First
    let second: Second

    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        try first.columnsForPrimaryKey(db, inView: view) ?? second.columnsForPrimaryKey(db, inView: view)
    }
}
