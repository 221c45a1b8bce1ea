import AmalgamConcurrency
import AmalgamCore
import Dispatch
import Synchronization

/// A started observation.
///
/// A value goes three steps. It is fetched, in an access of the database (`ValueObservationRun+Fetching.swift`). It is reduced, in
/// order, on a queue of the observation, or at once when there is nothing to do. It is given to its consumer, by the scheduler
/// (`ValueObservationRun+Delivery.swift`). What happens when is decided by an `ObservationState`.
///
/// The run does not know the types of values: each step gives the next one (`TypedSteps`). Code that knows them
/// would ask the runtime for generic types all along, which takes a tenth of the time from a commit to its value.
///
/// The run retains its database until it ends, and its hub retains the run.
final class ValueObservationRun: @unchecked Sendable {
    // Sendable: what is variable is behind a lock, or belongs to one thread at a time as it says.

    /// Has an action run later, which gives a value to the consumer, or, as the last one, an error.
    typealias Schedule = @Sendable (_ isError: Bool, _ action: @escaping @Sendable () -> Void) -> Void

    enum Connection: Sendable {
        /// What is read does not change.
        case fixed(any DatabaseReader)
        case live(any ObservableDatabase, ObservationHub)
    }

    let settings: ObservationSettings
    let trigger: ValueObservationTrigger

    let fetchValue: @Sendable (Database) throws -> FetchedValue
    let schedule: Schedule
    let onError: @Sendable (any Error) -> Void

    /// Nil once the run has ended.
    let connection: Mutex<Connection?>
    let state: RankedMutex<ObservationState>
    let region = RankedMutex(.region, TrackedRegion())

    /// The order of values is that of the commits that they were fetched for.
    let reorderBuffer = ReorderBuffer<Reduction>()

    /// Values are reduced here.
    let reducing = DispatchQueue(label: "ValueObservation")

    /// Whether values are reduced at once, where they were fetched: no reducer of the application runs, and the scheduler uses
    /// another thread. It saves a change of threads, a third of the way from a commit to the consumer.
    let reducesAtOnce: Bool

    /// Whether an error was forwarded by the reorder buffer. Used by the thread that forwards only.
    var isFailing = false

    /// Waits for commits of other connections.
    let watch = Mutex<Task<Void, Never>?>(nil)

    /// The timer of the pace: the last one, others are outdated.
    private let timer = Mutex<(number: Int, task: Task<Void, Never>?)>((0, nil))

    /// Outcomes that wait until an immediate start has given the first one. Nil when they need not wait.
    let earlyOutcomes = Mutex<[Outcome]?>(nil)

    /// The tickets of commits that came during the first fetch, until they are read.
    let startTickets = Mutex<[Ticket]>([])

    /// The data version of the writing connection when it fetched last. Used on it only.
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

    // MARK: Life

    func start(immediately: Bool) {
        settings.events.willStart()
        perform(state.withLock { $0.throttleBegins() })
        guard let connection = connection.withLock({ $0 }) else { return }
        if immediately { startAndWait(connection) } else { startLater(connection) }
    }

    /// Ends the observation on demand.
    func cancel() {
        guard end() else { return }
        settings.events.didCancel()
    }

    /// - Returns: whether there was something to end.
    func end() -> Bool {
        guard state.withLock({ $0.end() }) else { return false }
        release()
        return true
    }

    /// Nothing will be fetched any more.
    func release() {
        watch.withLock { $0 }?.cancel()
        timer.withLock { $0.task }?.cancel()
        let connection = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        if case .live(_, let hub) = connection { hub.remove(self) }
    }

    // MARK: What to do

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

    /// Starts the timer of the pace, in the place of an earlier one.
    private func wait(_ number: Int) {
        guard let pace = settings.pace else { return }
        let outdated = timer.withLock { timer in
            // Another thread may have been faster with a later timer.
            guard number > timer.number else { return nil as Task<Void, Never>? }
            defer { timer = (number, time(number, pace)) }
            return timer.task
        }
        outdated?.cancel()
        // It may have ended just before.
        if !isRunning { timer.withLock { $0.task }?.cancel() }
    }

    private func time(_ number: Int, _ pace: ObservationPace) -> Task<Void, Never> {
        Task { [weak self] in
            do { try await pace.wait() } catch { return }
            guard let self else { return }
            // What follows is not cancelled by the next timer.
            timer.withLock { if $0.number == number { $0.task = nil } }
            perform(state.withLock { $0.timeIsUp(number) })
        }
    }
}

extension ValueObservationRun.Connection {
    init(_ reader: any DatabaseReader, _ settings: ObservationSettings) {
        // A read-only connection sees changes of others only.
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
