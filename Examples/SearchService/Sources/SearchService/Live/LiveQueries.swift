import Amalgam
import Dispatch
import NIOCore
import ServiceInputs
import Synchronization

/// The searches that open pages follow. All pages with the same search share one observation of the database.
final class LiveQueries: Sendable {
    private struct Query {
        var results: SharedValueObservation<ByteBuffer>
        var subscribers: Set<LiveSubscriber> = []
        /// When a page last began to follow the search: the value of `State.clock` at this time.
        var seen: Int
    }

    private struct State {
        var queries: [SearchParameters: Query] = [:]
        var clock = 0
    }

    private let store: Store
    private let queryLimit: Int
    private let pace: Duration
    private let queue = DispatchQueue(label: "SearchService.live")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - queryLimit: the number of different searches that are followed.
    ///   - pace: the time between two values of a search.
    init(_ store: Store, queryLimit: Int = 200, pace: Duration = .milliseconds(500)) {
        self.store = store
        self.queryLimit = queryLimit
        self.pace = pace
    }

    var queryCount: Int { state.withLock { $0.queries.count } }

    var subscriberCount: Int { state.withLock { $0.queries.values.reduce(0) { $0 + $1.subscribers.count } } }

    /// Follows a search. If too many are followed, the one that was seen least recently ends.
    func subscribe(_ subscriber: LiveSubscriber, to parameters: SearchParameters) {
        let (results, ended) = state.withLock { state in
            state.clock += 1
            var query = state.queries[parameters] ?? Query(results: observe(parameters), seen: 0)
            query.seen = state.clock
            query.subscribers.insert(subscriber)
            state.queries[parameters] = query
            return (query.results, removeExcess(&state))
        }
        for subscriber in ended {
            end(subscriber, "Live results have ended: too many searches are followed. Search again.")
        }
        subscriber.follow(results)
    }

    func unsubscribe(_ subscriber: LiveSubscriber, from parameters: SearchParameters) {
        subscriber.finish()
        state.withLock { state in
            state.queries[parameters]?.subscribers.remove(subscriber)
            if state.queries[parameters]?.subscribers.isEmpty == true { state.queries[parameters] = nil }
        }
    }

    /// Sends an event to all pages.
    func broadcast(_ event: ByteBuffer) {
        for subscriber in state.withLock({ $0.queries.values.flatMap(\.subscribers) }) { subscriber.send(event) }
    }

    /// Ends all connections, because the service ends. Browsers connect again.
    func finishAll() {
        for subscriber in state.withLock({ $0.queries.values.flatMap(\.subscribers) }) { subscriber.finish() }
    }

    // MARK: Searches

    private func observe(_ parameters: SearchParameters) -> SharedValueObservation<ByteBuffer> {
        ValueObservation
            .tracking { db in
                try db.withLimits(.time(.seconds(3))) { try Searcher.results(db, parameters) }
            }
            .throttle(for: pace)
            .removeDuplicates()
            .map { result in try ServerSentEvent.make("results", result) }
            .shared(in: store.pool, scheduling: .async(onQueue: queue))
    }

    private func removeExcess(_ state: inout State) -> Set<LiveSubscriber> {
        guard state.queries.count > queryLimit, let oldest = state.queries.min(by: { $0.value.seen < $1.value.seen })
        else { return [] }
        state.queries[oldest.key] = nil
        return oldest.value.subscribers
    }

    private func end(_ subscriber: LiveSubscriber, _ reason: String) {
        subscriber.send(ServerSentEvent.ended(reason))
        subscriber.finish()
    }
}
