import Hummingbird
import Logging
import ServiceLifecycle

/// The parts of the service, and how they are connected.
public struct SearchService: Sendable {
    let configuration: ServiceConfiguration
    let logger: Logger
    let store: Store
    let corpus: any Corpus
    let status = IndexStatus()
    let policy: AccessPolicy
    let visitors = Visitors()
    let searcher: Searcher
    let editor: Editor
    let pages: Pages
    let live: LiveQueries
    let sandbox: QuerySandbox
    let registry = PrometheusRegistry()

    /// Opens the database.
    ///
    /// - Throws: a `ServiceError` about the configuration or the database; a `DatabaseError`.
    public init(_ configuration: ServiceConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        corpus = try configuration.makeCorpus()
        let wording = try configuration.makeWording()
        store = try Store(path: configuration.database, wording: wording)
        sandbox = try QuerySandbox(path: configuration.database, wording: wording)
        try store.claim(for: corpus)
        policy = try configuration.makePolicy()
        searcher = Searcher(store: store, facetNames: FacetNames(chosen: configuration.facets))
        editor = Editor(store: store)
        live = LiveQueries(store)
        pages = try Pages(visitors: visitors, policy: policy, status: status)
    }

    /// Runs the service until it receives SIGTERM or SIGINT.
    ///
    /// - Throws: an error of the server, for example if the port is used.
    public func run() async throws {
        try await application().runService()
        try sandbox.close()
        try store.pool.close()
    }

    var indexer: IndexService { IndexService(corpus, store, status, logger) }

    func application() throws -> some ApplicationProtocol {
        var application = Application(
            router: try router(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil),
            onServerRunning: { [logger, configuration] channel in
                let port = channel.localAddress?.port ?? configuration.port
                logger.notice("Open http://\(configuration.host):\(port)/")
            },
            logger: logger)
        application.beforeServerStarts { [searcher] in try await searcher.warmUp() }
        application.addServices(indexer, LiveService(queries: live, status: status))
        return application
    }
}
