import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// The transaction observer that serves all started observations of one database. It is notified of the changes and
/// commits of the writing connection, and begins the fetches of the affected observations.
///
/// The first observation installs the hub: it adds the hub to the writing connection. The hub isn't notified of earlier
/// commits, and a reader may see a commit before the hub is notified of it. So the hub compares snapshots
/// (`SnapshotVersion`) to find out whether a fetch has seen a commit. Observations are added and removed, and change
/// their regions, under the lock, on any thread, even while a transaction is open. The lock isn't held while code of
/// the application runs. A thread that holds the lock may acquire the lock of an observation. A thread that holds the
/// lock of an observation must not acquire the lock of the hub.
final class ObservationHub: TableObserver, WriteObserver, @unchecked Sendable {
    // Sendable: `affected`, `redefined`, `fetching` and `callbacks` are used on the writing connection only. The lock
    // guards the rest.

    private struct Member {
        let member: any RunningObservation
        var region = DatabaseRegion()
        /// The value of `State.stamp` when the region was added to the index.
        var stamp = 0
        /// The last snapshot that was fetched.
        var version: SnapshotVersion?
        /// Whether the first fetch began before the hub was installed.
        var precedesInstallation = false
        /// The number of the last commit before the fetch that computed the region. A later fetch may end earlier.
        var fetchNumber = 0
        /// The number of the last commit that may have redefined a table or view that the observation reads. If a fetch
        /// began before this commit, the region that the fetch has computed is outdated.
        var redefinitionNumber = 0
        /// Whether the first fetch has ended.
        var isFetched = false
        /// Whether the first fetch ran on the writing connection, or the observation doesn't fetch at all.
        var startedOnWriter = false

        /// Whether the observation may read a table or view that was redefined.
        func mayRead(_ change: SchemaChange) -> Bool {
            guard isFetched, case .definitions(let names) = change, let parts = region.parts else { return true }
            return parts.contains { names.contains($0.table) }
        }
    }

    private enum Installation {
        case none
        case underWay
        case done
    }

    private struct State {
        var members: [ObjectIdentifier: Member] = [:]
        var index = RegionIndex()
        /// A counter that is incremented whenever a region is set.
        var stamp = 0
        /// The observations whose region was set since the last commit.
        var addedSinceCommit: [ObjectIdentifier] = []
        var installation = Installation.none
        var commitNumber = 0
        /// The snapshot of the last commit.
        var version: SnapshotVersion?
        var journal = CommitJournal()
        /// The observations that take part in the next shared fetch.
        var fetchQueue: [any FetchParticipant] = []
        var isSharedFetchScheduled = false
        /// The fetches that wait for the end of a suspension.
        var suspended: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = RankedMutex(.observations, State())

    /// Nil until the current transaction writes.
    private var affected: AffectedObservations?

    /// The observations whose region must be computed again after the current transaction, because they don't fetch.
    private var redefined: [ObjectIdentifier: any RunningObservation] = [:]

    /// The observations whose fetches run on the writing connection. Fetches can be nested: a fetch writes and commits,
    /// another transaction observer is notified of this commit and writes, too, and this write causes a fetch of
    /// another observation. The innermost fetch is the last element.
    ///
    /// `hasCommitted` is false until the transaction of the fetch commits. The observation isn't notified of this
    /// commit, because its value already contains the changes. Afterwards, other transaction observers may commit
    /// further transactions before the fetch returns. The observation is notified of those commits.
    private var fetching: [(id: ObjectIdentifier, hasCommitted: Bool)] = []

    /// The observations to call back in `databaseDidCommit`, with one array for each commit. There are several arrays
    /// while a transaction observer that is notified of a commit commits another transaction. The last array belongs to
    /// the latest commit.
    private var callbacks: [[AffectedObservation]] = []

    private let readsAtVersions: Bool

    init(readsAtVersions: Bool) {
        self.readsAtVersions = readsAtVersions
    }

    /// Returns the hub of a database.
    static func of(_ database: any ObservableDatabase) -> ObservationHub {
        database.writeObserver.object { ObservationHub(readsAtVersions: database.readsAtVersions) }
    }

    /// Whether the snapshot of the main database identifies everything that was changed or read.
    private func hasVersions(_ db: Database) -> Bool { readsAtVersions && !db.hasAttachedDatabases }

    /// The snapshot that a connection reads. Nil if unknown, or if it doesn't identify everything that is read.
    func version(_ db: Database) -> SnapshotVersion? {
        hasVersions(db) ? (try? db.snapshotVersionInWAL()) ?? nil : nil
    }

    private func committedVersion(_ db: Database) -> SnapshotVersion? {
        hasVersions(db) ? db.committedVersionInWAL() : nil
    }

    // MARK: Members

    /// Adds an observation whose first fetch is about to begin on a reader connection.
    ///
    /// - Returns: the registered fetch, and whether the caller must make the writing connection install the hub.
    func begin(_ member: any RunningObservation) -> (fetch: HubFetch, mustInstall: Bool) {
        state.withLock { state in
            var new = Member(member: member)
            if case .done = state.installation {} else { new.precedesInstallation = true }
            state.members[member.id] = new
            let fetch = state.journal.beginFetch(after: state.commitNumber)
            guard case .none = state.installation else { return (fetch, false) }
            state.installation = .underWay
            return (fetch, true)
        }
    }

    /// Adds an observation, in an access to the writing connection.
    func begin(_ member: any RunningObservation, _ region: DatabaseRegion, _ db: Database) {
        install(db)
        state.withLock { state in
            state.members[member.id] = Member(member: member, isFetched: true, startedOnWriter: true)
            Self.track(region, member.id, &state)
        }
    }

    func remove(_ member: any RunningObservation) {
        let suspended = state.withLock { state in
            if let old = state.members.removeValue(forKey: member.id) { state.index.remove(member, old.region) }
            return state.suspended.removeValue(forKey: member.id)
        }
        // The closure is released outside of the lock.
        withExtendedLifetime(suspended) {}
    }

    // MARK: Suspension

    /// Stores a closure that repeats a fetch when the suspension of the writing connection ends.
    ///
    /// Must be called in a database access to the suspended connection. ``connectionDidResume()`` is called after this
    /// access, and so can't miss the closure.
    func awaitResume(_ member: any RunningObservation, _ fetch: @escaping @Sendable () -> Void) {
        state.withLock { $0.suspended[member.id] = fetch }
    }

    func connectionDidResume() {
        let fetches = state.withLock { state in
            defer { state.suspended = [:] }
            return state.suspended
        }
        for fetch in fetches.values { fetch() }
    }

    /// The number of fetches that wait for the end of a suspension.
    var suspendedFetchCount: Int { state.withLock { $0.suspended.count } }

    /// The number of commits that the journal contains for running fetches.
    var journaledCommitCount: Int { state.withLock { $0.journal.count } }

    /// Sets the region of an observation.
    private static func track(_ region: DatabaseRegion, _ id: ObjectIdentifier, _ state: inout State) {
        guard var member = state.members[id], member.stamp == 0 || member.region != region else { return }
        state.index.remove(member.member, member.region)
        state.index.add(member.member, region)
        state.stamp += 1
        member.region = region
        member.stamp = state.stamp
        state.members[id] = member
        state.addedSinceCommit.append(id)
    }

    /// Registers a fetch that is about to begin on a reader connection, and that reads the state of the last commit.
    func beginFetch() -> HubFetch {
        state.withLock { $0.journal.beginFetch(after: $0.commitNumber) }
    }

    /// Registers the end of a fetch that didn't run on the writing connection.
    ///
    /// - Parameters:
    ///   - newRegion: the region that the fetch has computed.
    ///   - version: the snapshot that was fetched.
    /// - Returns: what the observation must do because of commits during the fetch.
    func end(
        _ fetch: HubFetch, of member: any RunningObservation, _ newRegion: DatabaseRegion, at version: SnapshotVersion?
    ) -> FetchEnd {
        state.withLock { state in
            defer { state.journal.end(fetch) }
            // The region of a later fetch takes precedence.
            guard var known = state.members[member.id], fetch.commitNumber >= known.fetchNumber else {
                return .upToDate
            }
            let isOutdated = fetch.commitNumber < known.redefinitionNumber
            if isOutdated { member.forgetDefinitions() }
            let region = isOutdated ? known.region : newRegion
            // If the region was known already, the observation was notified of the commits during the fetch.
            let isKnown = known.isFetched && known.region == region
            let isFirst = !known.isFetched
            known.version = version
            known.isFetched = true
            known.fetchNumber = fetch.commitNumber
            state.members[member.id] = known
            if isKnown { return .upToDate }
            Self.track(region, member.id, &state)
            let missed = state.journal.commits(changing: region, after: fetch, notIn: version)
            guard let last = missed.last else {
                return isFirst && member.reserveTickets(for: []) ? .behind([], nil) : .upToDate
            }
            let versions = missed.compactMap(\.version)
            if isFirst && versions.count == missed.count && member.reserveTickets(for: versions) {
                return .behind(versions, state.journal.beginFetch(after: last.number))
            }
            return .outdated(member.commitCame())
        }
    }

    /// What an observation must do because of commits during its fetch.
    enum FetchEnd {
        /// The observation hasn't missed a commit.
        case upToDate
        /// The observation has missed commits, and must perform this action.
        case outdated(ObservationAction)
        /// The observation has reserved one ticket for each commit that it has missed. The array contains the snapshots
        /// of these commits, and the `HubFetch` is a new fetch, which must read these snapshots. If the observation has
        /// missed no commit, the array is empty, and the `HubFetch` is nil.
        case behind([SnapshotVersion], HubFetch?)
    }

    /// Removes a fetch from the journal, for example because the fetch has failed.
    func abandon(_ fetch: HubFetch) {
        state.withLock { $0.journal.end(fetch) }
    }

    /// Registers the end of a fetch on the writing connection.
    func fetchEnded(_ member: any RunningObservation, _ region: DatabaseRegion) {
        state.withLock { state in
            state.members[member.id]?.fetchNumber = state.commitNumber
            state.members[member.id]?.isFetched = true
            Self.track(region, member.id, &state)
        }
    }

    // MARK: Installation

    /// Installs the hub, in an access to the writing connection.
    func install(_ db: Database) {
        let isInstalled = state.withLock { state in
            if case .done = state.installation { true } else { false }
        }
        if isInstalled { return }
        db.add(transactionObserver: self, extent: .databaseLifetime)
        let version = version(db)
        let waiting = state.withLock { state in
            state.installation = .done
            state.version = version
            // For running fetches, the installation counts as a commit that may have changed any row.
            state.commitNumber += 1
            state.journal.append(.init(number: state.commitNumber, version: version, kinds: nil))
            if db.isInsideTransaction {
                affected = AffectedObservations(state.index, stamp: state.stamp, isPartial: true)
            }
            // The hub wasn't notified of the commits before its installation. An observation whose fetch may not have
            // seen all of these commits must fetch again.
            return state.members.values.filter {
                $0.precedesInstallation && $0.isFetched && !version.isSeen(in: $0.version)
            }.map { ($0.member, $0.member.commitCame()) }
        }
        finish(waiting, db)
    }

    /// Uninstalls the hub if no observation is left.
    private func uninstallIfUnused(_ db: Database) {
        let isUnused = state.withLock { state in
            guard state.members.isEmpty else { return false }
            state.installation = .none
            state.addedSinceCommit = []
            return true
        }
        guard isUnused else { return }
        redefined = [:]
        db.remove(transactionObserver: self)
    }

    // MARK: Changes

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        beginTransaction()
        return affected!.expect(eventKind)
    }

    private func beginTransaction() {
        if affected == nil { affected = state.withLock { AffectedObservations($0.index, stamp: $0.stamp) } }
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) { affected?.match(event) }

    func databaseDidChange(with event: DatabaseEvent) {}

    func deferChange(_ event: DatabasePreUpdateEvent, _ deferred: AnyObject?) -> AnyObject? {
        affected?.deferMatches(event, deferred as? SavepointMatches)
    }

    func databaseDidChange(deferred: AnyObject) {
        if let deferred = deferred as? SavepointMatches { affected?.markAffected(deferred) }
    }

    func databaseDidChange(kinds: [DatabaseEventKind]) {
        beginTransaction()
        for kind in kinds { affected!.matchAllRows(kind) }
    }

    /// Handles a redefinition of tables or views, which by itself causes no fetch. Each `ValueObservation` that reads a
    /// redefined table or view tracks the full database, until its next fetch computes its region. For a
    /// `DatabaseRegionObservation`, the hub computes the region again after the commit: see `trackRedefined`.
    func databaseDidChange(schema change: SchemaChange) {
        state.withLock { state in
            for (id, known) in state.members where known.mayRead(change) {
                guard known.member.findsOutRegions else {
                    redefined[id] = known.member
                    continue
                }
                known.member.forgetDefinitions()
                state.members[id]?.redefinitionNumber = state.commitNumber + 1
                Self.track(.fullDatabase, id, &state)
            }
        }
    }

    /// Computes the regions of the observations that don't fetch and that read a redefined table or view.
    private func trackRedefined(_ db: Database) {
        if redefined.isEmpty { return }
        let members = redefined
        redefined = [:]
        for (id, member) in members where state.withLock({ $0.members[id] != nil }) {
            if let region = member.region(db) {
                state.withLock { Self.track(region, id, &$0) }
            } else {
                // The region can't be computed now, for example because its table was dropped.
                redefined[id] = member
            }
        }
    }

    func databaseDidRollback(_ db: Database) {
        affected = nil
    }

    /// Begins the fetches that a commit requires, before another transaction observer can write. Observations whose
    /// phase is `.callsBack` run code of the application: `databaseDidCommit` calls them later.
    func captureCommit(_ db: Database) {
        let affected = affected
        self.affected = nil
        trackRedefined(db)
        let fetching = fetching.last.flatMap { $0.hasCommitted ? nil : $0.id }
        if fetching != nil { self.fetching[self.fetching.count - 1].hasCommitted = true }
        var concerned: [AffectedObservation] = []
        if let affected, affected.isPartial || !affected.kinds.isEmpty {
            concerned = self.concerned(affected, by: fetching, db)
        }
        capture(concerned, db)
        callbacks.append(concerned)
    }

    func databaseDidCommit(_ db: Database) {
        if let concerned = callbacks.popLast() { callBack(concerned, db) }
        uninstallIfUnused(db)
    }

    /// Assigns a number to a commit, appends the commit to the journal, and returns the affected observations.
    ///
    /// - Parameter fetching: the observation whose fetch has made the commit, if any. This observation isn't affected.
    /// - Returns: the observations that the commit affects, with their next actions.
    private func concerned(_ affected: AffectedObservations, by fetching: ObjectIdentifier?, _ db: Database)
        -> [AffectedObservation]
    {
        // The snapshot is only needed if an observation may read it. Otherwise a shared fetch reads the last state.
        let (hasAddedMembers, isJournalKept) = state.withLock { (!$0.addedSinceCommit.isEmpty, $0.journal.isKept) }
        let isWanted = affected.isPartial || !affected.members.isEmpty || hasAddedMembers || isJournalKept
        let version = isWanted ? committedVersion(db) : nil
        return state.withLock { state in
            state.commitNumber += 1
            state.version = version
            // Fetches that begin from now on see the commit, so only running fetches need it in the journal.
            if isJournalKept {
                state.journal.append(
                    .init(
                        number: state.commitNumber, version: version, kinds: affected.isPartial ? nil : affected.kinds))
            }
            defer { state.addedSinceCommit = [] }
            return Self.concerned(affected, state).compactMap { id, member -> AffectedObservation? in
                guard let known = state.members[id], fetching != id else { return nil }
                // An observation that has already fetched the snapshot of the commit isn't affected. With the trigger
                // `.writes`, this is only checked if the region was set during the transaction. The reason is a
                // statement such as `UPDATE player SET name = name`. It may leave the snapshot unchanged, so that the
                // observation has already fetched this snapshot. But with `.writes`, the statement must cause a fetch.
                let isExact = member.trigger == .changes || known.stamp > affected.stamp
                let isSeen = isExact && version.isSeen(in: known.version)
                if isSeen && !affected.announced.contains(id) { return nil }
                let action = member.commitCame()
                // If another transaction observer writes while an observation fetches, another fetch follows later.
                return (member, action == .fetchNow && isFetching(id) ? .fetch : action)
            }
        }
    }

    /// Returns the observations that a transaction affects.
    private static func concerned(_ affected: AffectedObservations, _ state: State) -> [ObjectIdentifier:
        any RunningObservation]
    {
        var concerned = affected.members
        for id in state.addedSinceCommit {
            guard let member = state.members[id], member.stamp > affected.stamp else { continue }
            let isConcerned = affected.kinds.contains(where: member.region.isConcerned)
            concerned[id] = isConcerned ? member.member : nil
        }
        guard affected.isPartial else { return concerned }
        // The hub was installed during this transaction, and doesn't know the earlier writes of the transaction. So all
        // observations are affected, except two kinds. Observations that started on the writing connection have seen
        // these writes. Observations whose first fetch is running are compared with the journal when the fetch ends.
        for (id, member) in state.members where member.isFetched && !member.startedOnWriter {
            concerned[id] = member.member
        }
        return concerned
    }

    /// An observation that a commit affects, and its next action.
    private typealias AffectedObservation = (any RunningObservation, ObservationAction)

    private func finish(_ concerned: [AffectedObservation], _ db: Database) {
        capture(concerned, db)
        callBack(concerned, db)
    }

    /// Fetches the state that a commit has left.
    private func capture(_ concerned: [AffectedObservation], _ db: Database) {
        if concerned.isEmpty { return }
        for (member, _) in concerned { member.databaseDidChange() }
        let commit = HubCommit(db: db)
        // Fetches that write run last, because later reads can't see the state before their commits.
        for (member, action) in concerned where member.commitPhase == .reads { member.act(action, at: commit) }
        commit.reads.begin(db)
        for (member, action) in concerned where member.commitPhase == .fetchesWithWrites {
            member.act(action, at: commit)
        }
        if let database = commit.batch.database { fetch(commit.batch.members, in: database) }
    }

    private func callBack(_ concerned: [AffectedObservation], _ db: Database) {
        let commit = HubCommit(db: db)
        for (member, action) in concerned where member.commitPhase == .callsBack { member.act(action, at: commit) }
    }

    /// Runs the fetch of an observation on the writing connection.
    func withFetch<T>(of member: any RunningObservation, _ body: () throws -> T) rethrows -> T {
        fetching.append((member.id, hasCommitted: false))
        defer { fetching.removeLast() }
        return try body()
    }

    private func isFetching(_ id: ObjectIdentifier) -> Bool { fetching.contains { $0.id == id } }

    /// Notifies an observation of commits by other connections, unless the last fetch of the observation has seen these
    /// commits. The observation counts as affected, whatever its region, because SQLite doesn't report the rows that
    /// other connections change.
    func externalCommitsDidOccur(_ member: any RunningObservation, _ db: Database) {
        let version = version(db)
        let concerned: [AffectedObservation] = state.withLock { state in
            guard let known = state.members[member.id], !version.isSeen(in: known.version) else { return [] }
            state.version = version
            return [(member, member.commitCame())]
        }
        finish(concerned, db)
    }

    // MARK: Shared fetches

    /// Adds observations to the next shared fetch, which is one read for all of them.
    func fetch(_ members: [any FetchParticipant], in database: any ObservableDatabase) {
        let mustSchedule = state.withLock { state in
            state.fetchQueue += members
            defer { state.isSharedFetchScheduled = true }
            return !state.isSharedFetchScheduled
        }
        if mustSchedule { database.asyncUnsafeRead { self.fetchShared($0) } }
    }

    private typealias Fetching = (member: any FetchParticipant, fetch: HubFetch)

    private func fetchShared(_ access: Result<Database, any Error>) {
        let (asked, fetches, version) = state.withLock { state in
            let asked = state.fetchQueue
            state.fetchQueue = []
            state.isSharedFetchScheduled = false
            let fetches = asked.filter { state.members[$0.id] != nil }.map { member -> Fetching in
                member.fetchBegins()
                return (member, state.journal.beginFetch(after: state.commitNumber))
            }
            // `state.version` is the snapshot of the last commit that the hub was notified of. If an observation has
            // already fetched a newer snapshot, a fetch from `state.version` would deliver an older value after a newer
            // one. In this case, the shared fetch reads the last committed state, whatever its snapshot.
            let goesBack = fetches.contains { member, _ in
                guard let seen = state.members[member.id]?.version else { return false }
                return !Optional(seen).isSeen(in: state.version)
            }
            return (asked, fetches, goesBack ? nil : state.version)
        }
        // Removed observations may be deinitialized here, outside of the lock. This may release and cancel other
        // observations, and `cancel` locks the hub.
        withExtendedLifetime(asked) {}
        do {
            fetch(fetches, try access.get(), at: readsAtVersions ? version : nil)
        } catch {
            fail(fetches, error)
        }
    }

    /// Runs the fetches of several observations in one read transaction.
    ///
    /// - If the transaction can't begin, each remaining fetch runs in a separate transaction, so that an error ends
    ///   only one observation.
    /// - If an error in a fetch ends the transaction, the next fetch begins a new transaction.
    /// - If another thread interrupts or suspends the connection, the fetches that haven't run yet are repeated later.
    private func fetch(_ fetches: [Fetching], _ db: Database, at version: SnapshotVersion?) {
        var rest = fetches[...]
        var isShared = true
        // The value of a fetch is delivered right before the next fetch begins. The last value is delivered after the
        // read transaction, because this thread is then free to reduce the value, and no other thread must be woken up.
        var deliverPrevious: (() -> Void)?
        while let first = rest.first {
            let stopDetector = StopDetector(db)
            do {
                try db.observedRead(at: version) { db in
                    let version = self.version(db)
                    repeat {
                        let (member, fetch) = rest.removeFirst()
                        deliverPrevious?()
                        deliverPrevious = member.fetch(db, fetch, at: version, for: self)
                        // An error in the fetch of one observation may have ended the transaction.
                    } while isShared && !rest.isEmpty && db.isInsideTransaction
                }
            } catch _ where stopDetector.hasStopped(db) {
                break
            } catch _ where isShared {
                isShared = false
            } catch {
                rest.removeFirst()
                fail([first], error)
            }
        }
        deliverPrevious?()
        for (member, fetch) in rest {
            abandon(fetch)
            member.fetchWasStopped(db, for: self)
        }
    }

    private func fail(_ fetches: [Fetching], _ error: any Error) {
        for (member, fetch) in fetches {
            abandon(fetch)
            member.fail(error)
        }
    }
}
