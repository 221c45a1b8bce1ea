/// What a connection knows of its schemas.
final class ConnectionSchema {
    /// Which state they are in: what is known of statements and tables is valid for one state.
    private(set) var state: SchemaState!

    /// What look-ups have found out about tables and views.
    var cache = SchemaCache()

    /// What the application knows about the schema beyond SQLite; nil when it knows nothing.
    var source: (any DatabaseSchemaSource)? {
        didSet { cache.removeKeysOfViews() }
    }

    init(source: (any DatabaseSchemaSource)?) { self.source = source }

    /// The connection has its hooks, which see the schemas change.
    func didInstall(_ hooks: OpaquePointer) { state = SchemaState(hooks) }
}
