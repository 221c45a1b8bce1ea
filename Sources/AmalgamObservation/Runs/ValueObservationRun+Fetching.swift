import AmalgamConcurrency
import AmalgamCore
import Dispatch
import Synchronization

// Fetches values in accesses to the database.
extension ValueObservationRun {
    struct Record: Sendable {
        let value: FetchedValue
        /// The region that was read, without views.
        let region: DatabaseRegion
        /// The region to track after the fetch.
        let tracked: DatabaseRegion
    }

    /// The result of a fetch.
    enum Fetched {
        case record(Record)
        case failure(any Error)
        /// Another thread has interrupted or suspended the connection: the fetch must be repeated.
        case stopped(any Error)

        /// The value, or the error that ends the observation.
        var value: Result<FetchedValue, any Error> {
            switch self {
            case .record(let record): .success(record.value)
            case .failure(let error), .stopped(let error): .failure(error)
            }
        }
    }

    private func fetched(_ db: Database, _ record: () throws -> Record) -> Fetched {
        let stopDetector = StopDetector(db)
        do { return .record(try record()) } catch {
            return stopDetector.hasStopped(db) ? .stopped(error) : .failure(error)
        }
    }

    /// Repeats a stopped fetch: at once after an interruption, or when the suspension of the writing connection ends.
    ///
    /// - Parameter db: the connection of the stopped fetch. The caller is still in a database access to it.
    private func fetchAgain(
        _ db: Database, _ hub: ObservationHub?, _ fetch: @escaping @Sendable (ValueObservationRun) -> Void
    ) {
        guard state.withLock({ $0.fetchWasStopped() }) else { return }
        guard let hub, db.access.interrupter.isSuspended else { return fetch(self) }
        hub.awaitResume(self) { [self] in
            if isRunning { fetch(self) }
        }
        // If the observation was cancelled in the meantime, the hub must not retain it.
        if !isRunning { hub.remove(self) }
    }

    // MARK: The initial value

    /// Fetches the initial value, and delivers it to the consumer, before returning.
    func startAndWait(_ connection: Connection) {
        let outcome = FirstOutcome()
        earlyOutcomes.withLock { $0 = [] }
        defer { deliverEarlyOutcomes() }
        do {
            switch connection {
            case .fixed(let reader):
                settings.events.willFetch()
                let value = try reader.read(fetchValue)
                fill(reserve(), .success(value)) { outcome.set($0) }
            case .live(let database, let hub) where startsOnWriter(database):
                try database.observingAccess { db in try startOnWriter(db, hub) { outcome.set($0) } }
            case .live(let database, let hub):
                let fetch = begin(database, hub)
                defer { hub.abandon(fetch) }
                try database.unsafeRead { db in try startOnReader(db, hub, fetch) { outcome.set($0) } }
            }
        } catch {
            fill(reserve(), .failure(error)) { outcome.set($0) }
        }
        reducing.sync {}
        if let outcome = outcome.value { give(outcome) }
    }

    /// Schedules the fetch of the initial value.
    func startLater(_ connection: Connection) {
        switch connection {
        case .fixed(let reader):
            let hub = (reader.unerased as? any ObservableDatabase).map { ObservationHub.of($0) }
            reader.asyncUnsafeRead { [self] access in
                startOrRepeat(connection, access, hub) { db in
                    settings.events.willFetch()
                    fill(reserve(), .success(try db.readState(fetchValue)))
                }
            }
        case .live(let database, let hub) where startsOnWriter(database):
            database.asyncWriteWithoutTransaction { [self] db in
                startOrRepeat(connection, .success(db), hub) { db in try startOnWriter(db, hub, deliver) }
            }
        case .live(let database, let hub) where delivery == .everyCommit:
            startBeforeLaterWrites(database, hub, connection)
        case .live(let database, let hub):
            let fetch = begin(database, hub)
            database.asyncUnsafeRead { [self] access in
                defer { hub.abandon(fetch) }
                startOrRepeat(connection, access, hub) { db in try startOnReader(db, hub, fetch, deliver) }
            }
        }
    }

    /// Starts the observation in an access. If the connection is interrupted or suspended, the start is repeated.
    ///
    /// - Parameter isWanted: called after an error. Returns whether the error concerns the observation.
    func startOrRepeat(
        _ connection: Connection, _ access: Result<Database, any Error>, _ hub: ObservationHub?,
        isWanted: () -> Bool = { true }, _ start: (Database) throws -> Void
    ) {
        guard isRunning else { return }
        do {
            let db = try access.get()
            let stopDetector = StopDetector(db)
            do {
                try start(db)
            } catch _ where stopDetector.hasStopped(db) {
                if isWanted() { fetchAgain(db, hub) { $0.startLater(connection) } }
            }
        } catch {
            if isWanted() { fail(error) }
        }
    }

    /// Whether fetches run on the writing connection, because they may write, or because readers have no snapshots.
    private func startsOnWriter(_ database: any ObservableDatabase) -> Bool {
        settings.requiresWriteAccess || !database.readsAtVersions
    }

    /// Adds the observation to the hub, and makes the writing connection install the hub if necessary.
    func begin(_ database: any ObservableDatabase, _ hub: ObservationHub) -> HubFetch {
        let (fetch, mustInstall) = hub.begin(self)
        if mustInstall { database.asyncWriteWithoutTransaction { hub.install($0) } }
        // If the observation was cancelled during a repeated start, the hub must not retain it.
        if !isRunning { hub.remove(self) }
        return fetch
    }

    /// Fetches the initial value on the writing connection.
    ///
    /// - Throws: the error of the fetch, if another thread has interrupted or suspended the connection. `deliver`
    ///   receives any other error of the fetch.
    func startOnWriter(
        _ db: Database, _ hub: ObservationHub, _ deliver: @escaping @Sendable (Outcome) -> Void
    ) throws {
        let fetched = fetchOnWriter(db, hub)
        if case .stopped(let error) = fetched { throw error }
        let ticket = reserve()
        if case .record(let record) = fetched {
            hub.begin(self, record.tracked, db)
            announce(record.region)
            watchExternalCommits()
        }
        fill(ticket, fetched.value, deliver)
        valueIsEnqueued()
        // If the observation was cancelled during the fetch, the hub must not retain it.
        if !isRunning { hub.remove(self) }
    }

    /// Fetches the initial value in a read transaction.
    ///
    /// - Parameter isWanted: called when the transaction has its snapshot. Returns whether the observation starts here.
    /// - Throws: the error of a transaction that can't begin, or the error of the fetch, if another thread has
    ///   interrupted or suspended the connection. `deliver` receives any other error of the fetch.
    func startOnReader(
        _ db: Database, _ hub: ObservationHub, _ fetch: HubFetch, isWanted: (() -> Bool)? = nil,
        _ deliver: @escaping @Sendable (Outcome) -> Void
    ) throws {
        // As in a shared fetch, the value is delivered at the very end.
        var deliverValue: (() -> Void)?
        var stop: (any Error)?
        var isStarted = true
        try db.observedRead(at: nil) { db in
            if let isWanted {
                // Until here, the transaction sees the last commit, whatever it is.
                _ = try? db.snapshotVersionInWAL()
                isStarted = isWanted()
                if !isStarted { return }
            }
            let fetched = fetchOnReader(db)
            if case .stopped(let error) = fetched { return stop = error }
            let (ticket, version) = (reserve(), hub.version(db))
            guard delivery == .everyCommit else {
                return deliverValue = { [self] in _ = finish(fetched, fetch, at: version, in: ticket, db, hub, deliver)
                }
            }
            let end = finish(fetched, fetch, at: version, in: ticket, db, hub, deliver)
            if case .behind(let versions, let fetch?) = end { followStart(versions, fetch, db, hub) }
        }
        if let stop { throw stop }
        if !isStarted { return }
        watchExternalCommits()
        deliverValue?()
    }

    /// Fetches the values of the commits made during the first fetch, in the read transaction of this first fetch. This
    /// transaction keeps checkpoints from overwriting later snapshots, so the snapshots of these commits are available.
    private func followStart(
        _ versions: [SnapshotVersion], _ fetch: HubFetch, _ db: Database, _ hub: ObservationHub
    ) {
        defer { hub.abandon(fetch) }
        let tickets = startTickets.withLock { tickets in
            defer { tickets = [] }
            return tickets
        }
        var last: (record: Record, version: SnapshotVersion)?
        for (version, ticket) in zip(versions, tickets) {
            guard isRunning, (try? db.advance(to: version)) != nil else {
                last = nil
                cancel(ticket)
                continue
            }
            settings.events.databaseDidChange()
            let fetched = fetchOnReader(db)
            if case .record(let record) = fetched { last = (record, version) } else { last = nil }
            if case .stopped = fetched { cancel(ticket) } else { fill(ticket, fetched.value) }
        }
        if let last {
            announce(last.record.region)
            if case .outdated(let action) = hub.end(fetch, of: self, last.record.tracked, at: last.version) {
                perform(action)
            }
        } else {
            // The last snapshot couldn't be read. Another fetch reads a later state instead.
            perform(state.withLock { $0.commitCame() })
        }
    }

    // MARK: Later values

    /// Schedules a fetch that sees all commits before this call.
    func fetchSoon() {
        guard let (database, hub) = live else { return }
        if joinsSharedFetch {
            hub.fetch([self], in: database)
        } else {
            database.asyncWriteWithoutTransaction { [self] in catchUp($0, hub) }
        }
    }

    /// Whether the fetches are shared with other observations.
    private var joinsSharedFetch: Bool { delivery == .latest && !settings.requiresWriteAccess }

    /// Fetches on the writing connection, outside of a commit.
    private func catchUp(_ db: Database, _ hub: ObservationHub) {
        guard isRunning else { return }
        state.withLock { $0.fetchBegins() }
        let fetched = fetchOnWriter(db, hub)
        if finishOnWriter(fetched, in: reserve(), db, hub) { valueIsEnqueued() }
    }

    /// Fetches in a read.
    private func fetchOnReader(_ db: Database) -> Fetched {
        settings.events.willFetch()
        return fetched(db) { try record(db) }
    }

    /// Fetches on the writing connection.
    private func fetchOnWriter(_ db: Database, _ hub: ObservationHub) -> Fetched {
        settings.events.willFetch()
        if settings.includesExternalChanges { dataVersion = Self.externalVersion(db) }
        return fetched(db) {
            try hub.withFetch(of: self) {
                guard settings.requiresWriteAccess else { return try db.readState(record) }
                var result: Record?
                try db.inSavepoint {
                    result = try record(db)
                    return .commit
                }
                return result!
            }
        }
    }

    /// Fetches a value, and computes the region to track.
    private func record(_ db: Database) throws -> Record {
        var read = DatabaseRegion()
        let value: FetchedValue
        if let constant = region.withLock({ $0.constant }) {
            value = try fetchValue(db)
            read = constant
        } else {
            switch settings.tracking {
            case .regions(let regions):
                for region in regions { read.formUnion(try region.databaseRegion(db)) }
                value = try fetchValue(db)
                region.withLock { $0.constant = read }
            case .whatIsReadFirst:
                value = try db.recordingAccess(in: &read, isConstant: true) { try fetchValue(db) }
                region.withLock { $0.constant = read }
            case .whatIsRead:
                value = try db.recordingAccess(in: &read) { try fetchValue(db) }
            }
        }
        let (tracked, tables) = tracked(read, db)
        return Record(value: value, region: tables, tracked: tracked)
    }

    /// Returns the region to track after a fetch has read a region, and the read region without views.
    private func tracked(
        _ read: DatabaseRegion, _ db: Database
    ) -> (tracked: DatabaseRegion, tables: DatabaseRegion) {
        if let known = region.withLock({ $0.tracked(for: read) }) { return known }
        let (tracked, tables) = (read.includingSourcesOfGeneratedColumns(db), read.excludingViews(db))
        region.withLock { $0.track(tracked, tables: tables, for: read) }
        return (tracked, tables)
    }

    // MARK: The end of a fetch

    /// Handles the end of a fetch on a reader connection, during which the writer may have committed transactions.
    ///
    /// If one of these transactions makes the fetched value outdated, another fetch follows, and only that fetch calls
    /// the `willTrackRegion` closures. Otherwise, this method calls the closures, if the region has changed.
    private func finish(
        _ fetched: Fetched, _ fetch: HubFetch, at version: SnapshotVersion?, in ticket: Ticket, _ db: Database,
        _ hub: ObservationHub, _ deliver: @escaping @Sendable (Outcome) -> Void
    ) -> ObservationHub.FetchEnd {
        guard case .record(let record) = fetched else {
            hub.abandon(fetch)
            finishWithoutValue(fetched, in: ticket, db, hub, deliver)
            return .upToDate
        }
        let end = hub.end(fetch, of: self, record.tracked, at: version)
        switch end {
        case .upToDate:
            announce(record.region)
            // The ticket of this value is reserved, so later values may be fetched from now on.
            valueIsEnqueued()
            fill(ticket, fetched.value, deliver)
        case .behind:
            announce(record.region)
            fill(ticket, fetched.value, deliver)
        case .outdated(let action):
            valueIsEnqueued()
            fill(ticket, fetched.value, isOutdated: true, deliver)
            perform(action)
        }
        return end
    }

    /// Handles a fetch that was stopped or has failed.
    private func finishWithoutValue(
        _ fetched: Fetched, in ticket: Ticket, _ db: Database, _ hub: ObservationHub,
        _ deliver: @escaping @Sendable (Outcome) -> Void
    ) {
        if case .stopped = fetched {
            cancel(ticket)
            fetchAgain(db, hub) { $0.fetchSoon() }
        } else {
            fill(ticket, fetched.value, deliver)
        }
    }

    /// Handles the end of a fetch on the writing connection.
    ///
    /// - Returns: false if another thread has stopped the fetch, so that there is neither a value nor an error.
    @discardableResult
    private func finishOnWriter(
        _ fetched: Fetched, in ticket: Ticket, _ db: Database, _ hub: ObservationHub
    ) -> Bool {
        if case .stopped = fetched {
            finishWithoutValue(fetched, in: ticket, db, hub, deliver)
            return false
        }
        if case .record(let record) = fetched {
            hub.fetchEnded(self, record.tracked)
            announce(record.region)
        }
        fill(ticket, fetched.value)
        return true
    }

    private func announce(_ newRegion: DatabaseRegion) {
        guard region.withLock({ $0.announce(newRegion) }) else { return }
        for willTrackRegion in settings.events.willTrackRegion { willTrackRegion(newRegion) }
    }

    /// Must be called when the ticket of a value is reserved. With `.everyCommit`, the next fetch may begin then.
    private func valueIsEnqueued() {
        if delivery == .everyCommit { perform(state.withLock { $0.fetchIsEnqueued() }) }
    }
}

// MARK: - The hub

extension ValueObservationRun: FetchParticipant {
    var commitPhase: CommitPhase { settings.requiresWriteAccess ? .fetchesWithWrites : .reads }

    var findsOutRegions: Bool { true }

    func region(_ db: Database) -> DatabaseRegion? { nil }

    func forgetDefinitions() { region.withLock { $0.forget() } }

    func commitCame() -> ObservationAction { state.withLock { $0.commitCame() } }

    /// With `.everyCommit`, each commit after the initial value has a separate value.
    func reserveTickets(for versions: [SnapshotVersion]) -> Bool {
        guard delivery == .everyCommit else { return false }
        let tickets = versions.map { _ in reserve() }
        startTickets.withLock { $0 = tickets }
        state.withLock { $0.startIsEnqueued() }
        return true
    }

    func databaseDidChange() { settings.events.databaseDidChange() }

    func act(_ action: ObservationAction, at commit: HubCommit) {
        guard let (database, hub) = live else { return }
        switch action {
        case .fetchNow: fetchNow(commit, database, hub)
        case .fetch where joinsSharedFetch: commit.batch.add(self, in: database)
        case .none, .fetch, .wait, .fetchAndWait: perform(action)
        }
    }

    private func fetchNow(_ commit: HubCommit, _ database: any ObservableDatabase, _ hub: ObservationHub) {
        state.withLock { $0.fetchBegins() }
        let ticket = reserve()
        if startsOnWriter(database) {
            finishOnWriter(fetchOnWriter(commit.db, hub), in: ticket, commit.db, hub)
            return
        }
        let fetch = hub.beginFetch()
        commit.reads.add(in: database) { [self] db in
            settings.events.willFetch()
            finishAtCommit(fetched(db) { try db.readState(record) }, fetch, in: ticket, db, hub)
        }
    }

    /// Handles the end of the fetch of one commit.
    private func finishAtCommit(
        _ fetched: Fetched, _ fetch: HubFetch, in ticket: Ticket, _ db: Database, _ hub: ObservationHub
    ) {
        guard case .record(let record) = fetched else {
            hub.abandon(fetch)
            return finishWithoutValue(fetched, in: ticket, db, hub, deliver)
        }
        let end = hub.end(fetch, of: self, record.tracked, at: nil)
        announce(record.region)
        fill(ticket, fetched.value)
        if case .outdated(let action) = end { perform(action) }
    }

    func fetchBegins() { state.withLock { $0.fetchBegins() } }

    func fetch(_ db: Database, _ fetch: HubFetch, at version: SnapshotVersion?, for hub: ObservationHub)
        -> () -> Void
    {
        let fetched = fetchOnReader(db)
        let ticket = reserve()
        return { [self] in _ = finish(fetched, fetch, at: version, in: ticket, db, hub, deliver) }
    }

    func fetchWasStopped(_ db: Database, for hub: ObservationHub) { fetchAgain(db, hub) { $0.fetchSoon() } }

    func fail(_ error: any Error) { fill(reserve(), .failure(error)) }
}
