import AmalgamConcurrency
import AmalgamCore
import Dispatch
import Synchronization

// Fetching, in an access of the database.
extension ValueObservationRun {
    struct Record: Sendable {
        let value: FetchedValue
        /// What was read.
        let region: DatabaseRegion
        /// What must be tracked for it.
        let tracked: DatabaseRegion
    }

    // MARK: The initial value

    /// Fetches the initial value, and gives it to the consumer, before it returns.
    func startAndWait(_ connection: Connection) {
        let outcome = FirstOutcome()
        early.withLock { $0 = [] }
        defer { deliverEarlyOutcomes() }
        do {
            switch connection {
            case .fixed(let reader):
                settings.events.willFetch()
                let value = try reader.read(fetchValue)
                fill(reserve(), .success(value)) { outcome.set($0) }
            case .live(let database, let hub) where startsOnWriter(database):
                try database.followingAccess { db in startOnWriter(db, hub) { outcome.set($0) } }
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

    /// Has the initial value fetched.
    func startLater(_ connection: Connection) {
        switch connection {
        case .fixed(let reader):
            reader.asyncRead { [self] access in
                settings.events.willFetch()
                fill(reserve(), Result { try fetchValue(access.get()) })
            }
        case .live(let database, let hub) where startsOnWriter(database):
            database.asyncWriteWithoutTransaction { [self] db in
                if isRunning { startOnWriter(db, hub, deliver) }
            }
        case .live(let database, let hub):
            let fetch = begin(database, hub)
            database.asyncUnsafeRead { [self] access in
                defer { hub.abandon(fetch) }
                guard isRunning else { return }
                do { try startOnReader(access.get(), hub, fetch, deliver) } catch { fail(error) }
            }
        }
    }

    /// Whether a fetch runs on the only connection that can.
    private func startsOnWriter(_ database: any ObservableDatabase) -> Bool {
        settings.requiresWriteAccess || !database.readsAtVersions
    }

    /// Joins the hub, which is installed when the writing connection has time for it.
    private func begin(_ database: any ObservableDatabase, _ hub: ObservationHub) -> HubFetch {
        let (fetch, mustInstall) = hub.begin(self)
        if mustInstall { database.asyncWriteWithoutTransaction { hub.install($0) } }
        return fetch
    }

    private func startOnWriter(
        _ db: Database, _ hub: ObservationHub, _ deliver: @escaping @Sendable (Outcome) -> Void
    ) {
        let ticket = reserve()
        let result = fetchOnWriter(db, hub)
        if case .success(let record) = result {
            hub.begin(self, record.tracked, db)
            announce(record.region)
            watchOthers()
        }
        fill(ticket, result.map(\.value), deliver)
        valueIsInLine()
        // Cancelled meanwhile: the hub must not keep who is not there to leave.
        if !isRunning { hub.remove(self) }
    }

    private func startOnReader(
        _ db: Database, _ hub: ObservationHub, _ fetch: HubFetch, _ deliver: @escaping @Sendable (Outcome) -> Void
    ) throws {
        // As in a pass, the value leaves at the very end.
        var letGo: (() -> Void)?
        try db.observedRead(at: nil) { db in
            let land = self.fetch(db, fetch, at: hub.version(db), hub, deliver)
            guard delivery == .everyCommit else { return letGo = { _ = land() } }
            if case .behind(let versions, let fetch?) = land() { followStart(versions, fetch, db, hub) }
        }
        watchOthers()
        letGo?()
    }

    /// Reads the states of the commits that came during the first fetch, in the transaction of this fetch: no checkpoint goes past
    /// it, so they are all there.
    private func followStart(
        _ versions: [SnapshotVersion], _ fetch: HubFetch, _ db: Database, _ hub: ObservationHub
    ) {
        defer { hub.abandon(fetch) }
        let places = startPlaces.withLock { places in
            defer { places = [] }
            return places
        }
        var last: (record: Record, version: SnapshotVersion)?
        for (version, place) in zip(versions, places) {
            guard isRunning, (try? db.advance(to: version)) != nil else {
                last = nil
                leave(place)
                continue
            }
            settings.events.databaseDidChange()
            settings.events.willFetch()
            let result = Result { try record(db) }
            last = (try? result.get()).map { ($0, version) }
            fill(place, result.map(\.value))
        }
        if let last {
            announce(last.record.region)
            if case .outdated(let action) = hub.end(fetch, of: self, last.record.tracked, at: last.version) {
                perform(action)
            }
        } else {
            // The last state could not be read: one that follows will do.
            perform(state.withLock { $0.commitCame() })
        }
    }

    // MARK: Later values

    /// Has a value fetched that sees all commits until now.
    func fetchSoon() {
        guard let (database, hub) = live else { return }
        if fetchesInPass {
            hub.fetch([self], in: database)
        } else {
            database.asyncWriteWithoutTransaction { [self] in catchUp($0, hub) }
        }
    }

    /// Whether a value is fetched in a read that others share.
    private var fetchesInPass: Bool { delivery == .latest && !settings.requiresWriteAccess }

    /// Fetches on the writing connection, outside of a commit.
    private func catchUp(_ db: Database, _ hub: ObservationHub) {
        guard isRunning else { return }
        state.withLock { $0.fetchBegins() }
        landOnWriter(fetchOnWriter(db, hub), in: reserve(), hub)
        valueIsInLine()
    }

    /// Fetches on the writing connection.
    private func fetchOnWriter(_ db: Database, _ hub: ObservationHub) -> Result<Record, any Error> {
        settings.events.willFetch()
        if settings.includesExternalChanges { dataVersion = db.versionOfOthers }
        return Result {
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

    /// Fetches, and finds out what was read.
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
                value = try db.recordingAccess(in: &read, forGood: true) { try fetchValue(db) }
                region.withLock { $0.constant = read }
            case .whatIsRead:
                value = try db.recordingAccess(in: &read) { try fetchValue(db) }
            }
        }
        return Record(value: value, region: read, tracked: tracked(read, db))
    }

    /// What must be tracked when a region was read.
    private func tracked(_ read: DatabaseRegion, _ db: Database) -> DatabaseRegion {
        if let tracked = region.withLock({ $0.tracked(for: read) }) { return tracked }
        let tracked = read.includingSourcesOfGeneratedColumns(db)
        region.withLock { $0.track(tracked, for: read) }
        return tracked
    }

    // MARK: What was fetched

    /// Fetches away from the writing connection.
    ///
    /// - Returns: what lets the value go on. It may be called after the transaction.
    private func fetch(
        _ db: Database, _ fetch: HubFetch, at version: SnapshotVersion?, _ hub: ObservationHub,
        _ deliver: @escaping @Sendable (Outcome) -> Void
    ) -> () -> ObservationHub.FetchEnd {
        settings.events.willFetch()
        let result = Result { try record(db) }
        let ticket = reserve()
        return { [self] in land(result, fetch, at: version, in: ticket, hub, deliver) }
    }

    /// A value was fetched away from the writing connection, where commits may have come meanwhile.
    ///
    /// When one of them matters, the region is announced by the fetch that it causes, not by this one.
    private func land(
        _ result: Result<Record, any Error>, _ fetch: HubFetch, at version: SnapshotVersion?, in ticket: Ticket,
        _ hub: ObservationHub, _ deliver: @escaping @Sendable (Outcome) -> Void
    ) -> ObservationHub.FetchEnd {
        var end = ObservationHub.FetchEnd.upToDate
        switch result {
        case .success(let record): end = hub.end(fetch, of: self, record.tracked, at: version)
        case .failure: hub.abandon(fetch)
        }
        switch end {
        case .upToDate:
            if case .success(let record) = result { announce(record.region) }
            // Its place in the line is reserved: later values may be fetched from now on.
            valueIsInLine()
            fill(ticket, result.map(\.value), deliver)
        case .behind:
            if case .success(let record) = result { announce(record.region) }
            fill(ticket, result.map(\.value), deliver)
        case .outdated(let action):
            valueIsInLine()
            fill(ticket, result.map(\.value), isOutdated: true, deliver)
            perform(action)
        }
        return end
    }

    private func landOnWriter(_ result: Result<Record, any Error>, in ticket: Ticket, _ hub: ObservationHub) {
        if case .success(let record) = result {
            hub.fetchEnded(self, record.tracked)
            announce(record.region)
        }
        fill(ticket, result.map(\.value))
    }

    private func announce(_ newRegion: DatabaseRegion) {
        guard region.withLock({ $0.announce(newRegion) }) else { return }
        for willTrackRegion in settings.events.willTrackRegion { willTrackRegion(newRegion) }
    }

    /// With a value for every commit, the next one may follow as soon as this one has its place.
    private func valueIsInLine() {
        if delivery == .everyCommit { perform(state.withLock { $0.fetchIsInLine() }) }
    }
}

// MARK: - The hub

extension ValueObservationRun: PassMember {
    var turn: HubTurn { settings.requiresWriteAccess ? .fetchesWithWrites : .reads }

    var findsOutRegions: Bool { true }

    func region(_ db: Database) -> DatabaseRegion? { nil }

    func forgetDefinitions() { region.withLock { $0.forget() } }

    func commitCame() -> ObservationState.Action { state.withLock { $0.commitCame() } }

    /// With a value for every commit, none is missed from the initial value on.
    func takePlaces(for versions: [SnapshotVersion]) -> Bool {
        guard delivery == .everyCommit else { return false }
        let places = versions.map { _ in reserve() }
        startPlaces.withLock { $0 = places }
        state.withLock { $0.startIsInLine() }
        return true
    }

    func databaseDidChange() { settings.events.databaseDidChange() }

    func act(_ action: ObservationState.Action, at commit: HubCommit) {
        guard let (database, hub) = live else { return }
        switch action {
        case .fetchNow: fetchNow(commit, database, hub)
        case .fetch where fetchesInPass: commit.line.add(self, in: database)
        case .none, .fetch, .wait, .fetchAndWait: perform(action)
        }
    }

    private func fetchNow(_ commit: HubCommit, _ database: any ObservableDatabase, _ hub: ObservationHub) {
        state.withLock { $0.fetchBegins() }
        let ticket = reserve()
        if startsOnWriter(database) { return landOnWriter(fetchOnWriter(commit.db, hub), in: ticket, hub) }
        let fetch = hub.beginFetch()
        commit.reads.add(in: database) { [self] db in
            settings.events.willFetch()
            let result = Result { try db.readState(record) }
            landAtCommit(result, fetch, in: ticket, hub)
        }
    }

    /// The value of one commit was fetched.
    private func landAtCommit(
        _ result: Result<Record, any Error>, _ fetch: HubFetch, in ticket: Ticket, _ hub: ObservationHub
    ) {
        guard case .success(let record) = result else {
            hub.abandon(fetch)
            return fill(ticket, result.map(\.value))
        }
        let end = hub.end(fetch, of: self, record.tracked, at: nil)
        announce(record.region)
        fill(ticket, .success(record.value))
        if case .outdated(let action) = end { perform(action) }
    }

    func fetchBegins() { state.withLock { $0.fetchBegins() } }

    func fetch(_ db: Database, _ fetch: HubFetch, at version: SnapshotVersion?, for hub: ObservationHub)
        -> () -> Void
    {
        let land = self.fetch(db, fetch, at: version, hub, deliver)
        return { _ = land() }
    }

    func fail(_ error: any Error) { fill(reserve(), .failure(error)) }
}
