import Dispatch
import Logging
import ServiceLifecycle

/// Scans the corpus, again and again, until the service ends.
struct IndexService: Service {
    let corpus: any Corpus
    let store: Store
    let status: IndexStatus
    let logger: Logger
    var pause = Duration.seconds(2)

    /// Scans block their thread, so they run on a separate queue.
    private let queue = DispatchQueue(label: "SearchService.indexer", qos: .utility)

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await withCheckedContinuation { continuation in
                    queue.async {
                        scan()
                        continuation.resume()
                    }
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Scans once. A failure is reported in the page, and the next scan tries again.
    func scan() {
        do {
            try corpus.scan(into: store, status: status)
            status.update { ($0.isIndexing, $0.scans) = (false, $0.scans + 1) }
        } catch {
            logger.error("The scan has failed.", metadata: ["error": "\(error)"])
            status.update { ($0.isIndexing, $0.problem) = (false, "\(error)") }
        }
    }
}

extension IndexService {
    init(_ corpus: any Corpus, _ store: Store, _ status: IndexStatus, _ logger: Logger) {
        (self.corpus, self.store, self.status, self.logger) = (corpus, store, status, logger)
    }
}
