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

    /// Opens the database.
    public init(_ configuration: ServiceConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        corpus = try configuration.makeCorpus()
        store = try Store(path: configuration.database, wording: configuration.makeWording())
        try store.claim(for: corpus)
        policy = try configuration.makePolicy()
        searcher = Searcher(store: store, facetNames: FacetNames(chosen: configuration.facets))
        editor = Editor(store: store)
        pages = try Pages(visitors: visitors, policy: policy, status: status)
    }

    /// Runs the service until it receives SIGTERM or SIGINT.
    public func run() async throws {
        try await application().runService()
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
        application.addServices(indexer)
        return application
    }
}
