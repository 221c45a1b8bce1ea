/// What SQLite does not know about a schema, because it cannot be declared: the primary keys of views.
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
    /// The columns that identify the rows of a view.
    ///
    /// The columns exist in the view, and are never NULL. The method is asked once per view and connection, until the
    /// schema changes.
    ///
    /// - Returns: nil to leave the question to somebody else, an empty array when the view has no primary key.
    /// - throws: any error, which comes out of the look-up.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// Leaves the question to somebody else.
    public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { nil }

    /// A source that asks another one where this one gives nil.
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
