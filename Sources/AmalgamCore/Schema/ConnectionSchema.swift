/// The state and the cached look-ups of a connection's schemas.
final class ConnectionSchema {
    /// The state of the schemas. Cached data about statements and tables is valid for one state.
    private(set) var state: SchemaState!

    /// The cached results of look-ups of tables and views.
    var cache = SchemaCache()

    /// The application's source of the primary keys of views; nil if there is none.
    var source: (any DatabaseSchemaSource)? {
        didSet { cache.removeKeysOfViews() }
    }

    init(source: (any DatabaseSchemaSource)?) { self.source = source }

    /// Creates the state, once the connection has its hooks, which notice changes of the schemas.
    func didInstall(_ hooks: OpaquePointer) { state = SchemaState(hooks) }
}
