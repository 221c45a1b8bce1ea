import AmalgamConcurrency
import AmalgamCore
import Dispatch
import Synchronization

/// A started observation. Until it ends, it retains its database, and the hub of the database retains the observation.
///
/// A value is fetched in a database access (`ValueObservationRun+Fetching.swift`). The `ValueReducer` turns it into the
/// value to deliver, on a queue or on the fetching thread, and the scheduler delivers this value
/// (`ValueObservationRun+Delivery.swift`). An `ObservationState` decides when the next value is fetched. The class
/// isn't generic: the closures of `TypedSteps` handle the typed values. In a generic class, looking up types at run
/// time would take a tenth of the time from a commit to the delivery.
final class ValueObservationRun: @unchecked Sendable {
    // Sendable: locks guard the mutable properties, apart from two that one thread at a time uses: see their comments.

    /// Runs an action later. The action delivers a value to the consumer. The last action may deliver an error instead.
    typealias Schedule = @Sendable (_ isError: Bool, _ action: @escaping @Sendable () -> Void) -> Void

    enum Connection: Sendable {
        /// A reader whose database isn't observed.
        case fixed(any DatabaseReader)
        case live(any ObservableDatabase, ObservationHub)
    }

    let settings: ObservationSettings
    let trigger: ValueObservationTrigger

    let fetchValue: @Sendable (Database) throws -> FetchedValue
    let schedule: Schedule
    let onError: @Sendable (any Error) -> Void

    /// Nil after the end of the observation.
    let connection: Mutex<Connection?>
    let state: RankedMutex<ObservationState>
    let region = RankedMutex(.region, TrackedRegion())

    /// Orders values by the commits for which they were fetched.
    let reorderBuffer = ReorderBuffer<Reduction>()

    /// The queue on which values are reduced.
    let reducing = DispatchQueue(label: "ValueObservation")

    /// Whether values are reduced on the fetching thread instead of the queue `reducing`. True if the reducer runs no
    /// code of the application, and the scheduler runs callbacks on another thread. This saves a third of the time from
    /// a commit to the consumer.
    let reducesAtOnce: Bool

    /// Whether the reorder buffer has forwarded an error. Used by the forwarding thread only.
    var isFailing = false

    /// The task that waits for commits of other connections.
    let watch = Mutex<Task<Void, Never>?>(nil)

    /// The last timer of the pace. Earlier timers are outdated.
    private let timer = Mutex<(number: Int, task: Task<Void, Never>?)>((0, nil))

    /// The outcomes that wait until an immediate start has delivered the first outcome. Nil if outcomes needn't wait.
    let earlyOutcomes = Mutex<[Outcome]?>(nil)

    /// The tickets of the commits made during the first fetch, until the snapshots of these commits are read.
    let startTickets = Mutex<[Ticket]>([])

    /// The data version at the last fetch of the writing connection. Used on this connection only.
    var dataVersion: Int?

    init<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader, schedulesOffThread: Bool,
        schedule: @escaping Schedule,
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        settings = observation.settings
        let reducer = observation.makeReducer()
        fetchValue = TypedSteps(reducer, onChange).fetch
        reducesAtOnce = schedulesOffThread && reducer is any PassingReducer
        self.schedule = schedule
        self.onError = onError
        let connection = Connection(reader, settings)
        let delivery = settings.delivery(in: connection.database)
        trigger = settings.trigger ?? (delivery == .latest ? .changes : .writes)
        self.connection = Mutex(connection)
        state = RankedMutex(.observation, ObservationState(delivery: delivery, pace: settings.pace?.rule))
    }

    var live: (database: any ObservableDatabase, hub: ObservationHub)? {
        connection.withLock { connection in
            guard case .live(let database, let hub) = connection else { return nil }
            return (database, hub)
        }
    }

    // MARK: Start and end

    func start(immediately: Bool) {
        settings.events.willStart()
        perform(state.withLock { $0.throttleBegins() })
        guard let connection = connection.withLock({ $0 }) else { return }
        if immediately { startAndWait(connection) } else { startLater(connection) }
    }

    /// Cancels the observation.
    func cancel() {
        guard end() else { return }
        settings.events.didCancel()
    }

    /// - Returns: true if this call ends the observation, false if the observation had ended before.
    func end() -> Bool {
        guard state.withLock({ $0.end() }) else { return false }
        release()
        return true
    }

    /// Releases the connection, the tasks and the hub, because no value will be fetched any more.
    func release() {
        watch.withLock { $0 }?.cancel()
        timer.withLock { $0.task }?.cancel()
        let connection = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        if case .live(_, let hub) = connection { hub.remove(self) }
    }

    // MARK: Actions

    func perform(_ action: ObservationAction) {
        switch action {
        case .none: break
        case .fetch, .fetchNow: fetchSoon()
        case .wait(let number): wait(number)
        case .fetchAndWait(let number):
            wait(number)
            fetchSoon()
        }
    }

    /// Starts a timer for the duration of the pace (`debounce` or `throttle`), and cancels the earlier timer.
    private func wait(_ number: Int) {
        guard let pace = settings.pace else { return }
        let outdated = timer.withLock { timer in
            // Another thread may already have started a later timer.
            guard number > timer.number else { return nil as Task<Void, Never>? }
            defer { timer = (number, time(number, pace)) }
            return timer.task
        }
        outdated?.cancel()
        // The observation may have ended just before.
        if !isRunning { timer.withLock { $0.task }?.cancel() }
    }

    private func time(_ number: Int, _ pace: ObservationPace) -> Task<Void, Never> {
        Task { [weak self] in
            do { try await pace.wait() } catch { return }
            guard let self else { return }
            // The task is removed so that the next timer doesn't cancel the following call.
            timer.withLock { if $0.number == number { $0.task = nil } }
            perform(state.withLock { $0.timeIsUp(number) })
        }
    }
}

extension ValueObservationRun.Connection {
    init(_ reader: any DatabaseReader, _ settings: ObservationSettings) {
        // A read-only connection only sees changes of other connections.
        if let database = reader.unerased as? any ObservableDatabase,
            !database.configuration.readonly || settings.includesExternalChanges
        {
            self = .live(database, ObservationHub.of(database))
        } else {
            self = .fixed(reader)
        }
    }

    var database: (any ObservableDatabase)? {
        if case .live(let database, _) = self { database } else { nil }
    }
}

extension ObservationSettings {
    fileprivate func delivery(in database: (any ObservableDatabase)?) -> ValueObservationDelivery {
        if pace != nil { return .latest }
        let isSerial = requiresWriteAccess || database?.readsAtVersions == false
        return delivery ?? (isSerial ? .everyCommit : .latest)
    }
}
