import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// The one observer of a writing connection, on behalf of all started observations.
///
/// **What a write costs.** Statements are asked about once in a transaction, by table (`RegionIndex`): when no observation
/// tracks the table, rows cost nothing. Otherwise each row is compared with the observations that track it, until the commit
/// is known to affect them (`TableDispatch`).
///
/// **Without the writer.** Observations come, go, and get other regions under a lock, at any time, also in the middle of a
/// transaction: see `AffectedObservations`. The writing connection is only needed to install the hub itself, queued behind the
/// writes, for the first observation. The commits until then are not known, so versions are compared.
///
/// **Fetched versions.** Commits have numbers. A commit is visible to readers some time before the hub is notified of it, so
/// each also has its `SnapshotVersion`: it does not concern an observation that has already fetched at this version, or at a
/// later one.
///
/// The lock is not held while code of the application runs. Locks of observations (their state, region, reorder buffer and
/// tickets) are taken inside of it, never the other way.
final class ObservationHub: TableObserver, WriteObserver, @unchecked Sendable {
    // Sendable: `affected`, `redefined`, `fetching` and `callbacks` are used on the writing connection only, the rest is
    // behind the lock.

    private struct Member {
        let member: any RunningObservation
        var region = DatabaseRegion()
        /// When the region was added to the index.
        var stamp = 0
        /// The last version that was fetched.
        var version: SnapshotVersion?
        /// Whether the first fetch began before the hub was installed.
        var precedesInstallation = false
        /// The number of the last commit before the fetch that has found out the region. Fetches may end in another order.
        var fetchNumber = 0
        /// The number of the commit that may have defined anew what is read. A fetch that began before has seen another
        /// schema: the region that it has found out is outdated.
        var redefinitionNumber = 0
        /// Whether the first fetch has ended.
        var isFetched = false
        /// Whether the first fetch was made by the writing connection, or there is none.
        var startedOnWriter = false

        /// Whether it may read what has got another definition.
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
        /// Grows with each region that comes.
        var stamp = 0
        /// The members whose region was set since the last commit.
        var addedSinceCommit: [ObjectIdentifier] = []
        var installation = Installation.none
        var commitNumber = 0
        /// The version of the last commit.
        var version: SnapshotVersion?
        var journal = CommitJournal()
        /// The members that take part in the next shared fetch.
        var fetchQueue: [any FetchParticipant] = []
        var isSharedFetchScheduled = false
        /// The fetches that wait for the end of a suspension.
        var suspended: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = RankedMutex(.observations, State())

    /// Nil until the transaction under way writes.
    private var affected: AffectedObservations?

    /// The members whose region is to be asked for once the transaction under way is committed: they do not fetch.
    private var redefined: [ObjectIdentifier: any RunningObservation] = [:]

    /// The members that fetch on the writing connection, innermost last. A member is not notified of the transaction of its
    /// fetch. What observers write after that transaction, when they are notified of it, is not part of the fetch.
    private var fetching: [(id: ObjectIdentifier, hasCommitted: Bool)] = []

    /// The members that call back, of each commit that was captured and whose observers are being notified: innermost last.
    private var callbacks: [[AffectedObservation]] = []

    private let readsAtVersions: Bool

    init(readsAtVersions: Bool) {
        self.readsAtVersions = readsAtVersions
    }

    /// The hub of a database.
    static func of(_ database: any ObservableDatabase) -> ObservationHub {
        database.writeObserver.object { ObservationHub(readsAtVersions: database.readsAtVersions) }
    }

    /// Whether the version of the main database tells what was changed, and what is read.
    private func hasVersions(_ db: Database) -> Bool { readsAtVersions && !db.hasAttachedDatabases }

    /// What a connection sees, if that tells anything.
    func version(_ db: Database) -> SnapshotVersion? {
        hasVersions(db) ? (try? db.snapshotVersionInWAL()) ?? nil : nil
    }

    private func committedVersion(_ db: Database) -> SnapshotVersion? {
        hasVersions(db) ? db.committedVersionInWAL() : nil
    }

    // MARK: Members

    /// An observation is about to fetch for the first time, away from the writing connection.
    ///
    /// - Returns: the fetch, and whether the caller must have the hub installed.
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

    /// An observation joins, from an access to the writing connection.
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
        // What it retains is released without the lock.
        withExtendedLifetime(suspended) {}
    }

    // MARK: Suspension

    /// Has a fetch repeated when the suspension of the writing connection ends.
    ///
    /// Called in an access to the suspended connection. So the call of ``connectionDidResume()`` comes later.
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

    /// The number of commits that are kept for fetches under way.
    var journaledCommitCount: Int { state.withLock { $0.journal.count } }

    /// Gives a member its region.
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

    /// A member is about to fetch the last commit, away from the writing connection.
    func beginFetch() -> HubFetch {
        state.withLock { $0.journal.beginFetch(after: $0.commitNumber) }
    }

    /// A member has fetched, away from the writing connection.
    ///
    /// - Parameters:
    ///   - newRegion: what must be tracked from now on.
    ///   - version: what was fetched.
    /// - Returns: what to do for the commits that came meanwhile.
    func end(
        _ fetch: HubFetch, of member: any RunningObservation, _ newRegion: DatabaseRegion, at version: SnapshotVersion?
    ) -> FetchEnd {
        state.withLock { state in
            defer { state.journal.end(fetch) }
            // What a later fetch has found out counts.
            guard var known = state.members[member.id], fetch.commitNumber >= known.fetchNumber else {
                return .upToDate
            }
            let isOutdated = fetch.commitNumber < known.redefinitionNumber
            if isOutdated { member.forgetDefinitions() }
            let region = isOutdated ? known.region : newRegion
            // With the region that is known already, it was told of the commits that came meanwhile.
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

    /// What to do after a fetch.
    enum FetchEnd {
        /// There is nothing that it has not seen.
        case upToDate
        /// There is: have it fetched.
        case outdated(ObservationAction)
        /// There are commits with reserved tickets: read at their versions, as one more fetch.
        case behind([SnapshotVersion], HubFetch?)
    }

    /// A fetch has failed.
    func abandon(_ fetch: HubFetch) {
        state.withLock { $0.journal.end(fetch) }
    }

    /// A member has fetched on the writing connection.
    func fetchEnded(_ member: any RunningObservation, _ region: DatabaseRegion) {
        state.withLock { state in
            state.members[member.id]?.fetchNumber = state.commitNumber
            state.members[member.id]?.isFetched = true
            Self.track(region, member.id, &state)
        }
    }

    // MARK: Installation

    /// Starts to observe, from an access to the writing connection.
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
            // For fetches under way, this is a commit that may have changed anything.
            state.commitNumber += 1
            state.journal.append(.init(number: state.commitNumber, version: version, kinds: nil))
            if db.isInsideTransaction {
                affected = AffectedObservations(state.index, stamp: state.stamp, isPartial: true)
            }
            // The earlier commits are not known. A member that has not seen all of them must fetch again.
            return state.members.values.filter {
                $0.precedesInstallation && $0.isFetched && !version.isSeen(in: $0.version)
            }.map { ($0.member, $0.member.commitCame()) }
        }
        finish(waiting, db)
    }

    /// Stops observing once no member is left.
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

    /// After a table or view that is read got a different definition, the region is unknown until the next fetch: any change
    /// affects it. The definition alone does not.
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

    /// Asks the members that do not fetch for their regions.
    private func trackRedefined(_ db: Database) {
        if redefined.isEmpty { return }
        let members = redefined
        redefined = [:]
        for (id, member) in members where state.withLock({ $0.members[id] != nil }) {
            if let region = member.region(db) {
                state.withLock { Self.track(region, id, &$0) }
            } else {
                // What it tracks is not there, for now.
                redefined[id] = member
            }
        }
    }

    func databaseDidRollback(_ db: Database) {
        affected = nil
    }

    /// Members that fetch do so now, before another observer writes. Members that call back wait for the turn of the hub.
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

    /// Numbers a commit, and enters it into the journal.
    ///
    /// - Parameter fetching: the member whose fetch has made the commit, if any.
    /// - Returns: the members that it concerns, and what they want done.
    private func concerned(_ affected: AffectedObservations, by fetching: ObjectIdentifier?, _ db: Database)
        -> [AffectedObservation]
    {
        // The version is only taken when a member may read at it. Otherwise the next shared fetch reads the last state.
        let (hasAddedMembers, isJournalKept) = state.withLock { (!$0.addedSinceCommit.isEmpty, $0.journal.isKept) }
        let isWanted = affected.isPartial || !affected.members.isEmpty || hasAddedMembers || isJournalKept
        let version = isWanted ? committedVersion(db) : nil
        return state.withLock { state in
            state.commitNumber += 1
            state.version = version
            // Fetches that have begun since see the commit.
            if isJournalKept {
                state.journal.append(
                    .init(
                        number: state.commitNumber, version: version, kinds: affected.isPartial ? nil : affected.kinds))
            }
            defer { state.addedSinceCommit = [] }
            return Self.concerned(affected, state).compactMap { id, member -> AffectedObservation? in
                guard let known = state.members[id], fetching != id else { return nil }
                // A write that changes nothing leaves the version unchanged. A member added since knows the version of a fetch.
                let isExact = member.trigger == .changes || known.stamp > affected.stamp
                let isSeen = isExact && version.isSeen(in: known.version)
                if isSeen && !affected.announced.contains(id) { return nil }
                let action = member.commitCame()
                // It cannot fetch in the middle of its own fetch, which another member has interrupted with a write.
                return (member, action == .fetchNow && isFetching(id) ? .fetch : action)
            }
        }
    }

    /// The members that a transaction affects.
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
        // A member that has read on the writing connection has seen its earlier writes. Fetches under way look into the
        // journal.
        for (id, member) in state.members where member.isFetched && !member.startedOnWriter {
            concerned[id] = member.member
        }
        return concerned
    }

    /// A member that a commit affects, and its next action.
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
        // A fetch that writes comes later: a commit inside of it hides the state.
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

    /// Runs the fetch of a member on the writing connection.
    func withFetch<T>(of member: any RunningObservation, _ body: () throws -> T) rethrows -> T {
        fetching.append((member.id, hasCommitted: false))
        defer { fetching.removeLast() }
        return try body()
    }

    private func isFetching(_ id: ObjectIdentifier) -> Bool { fetching.contains { $0.id == id } }

    /// Other connections have written unknown changes to the file. A member that has not seen them is notified.
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

    /// Enqueues members for the next shared fetch: one read for all of them.
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
            // When a version is lost, a later one is read, maybe before the hub is notified of it: a member that has seen it
            // must not go back.
            let goesBack = fetches.contains { member, _ in
                guard let seen = state.members[member.id]?.version else { return false }
                return !Optional(seen).isSeen(in: state.version)
            }
            return (asked, fetches, goesBack ? nil : state.version)
        }
        // Removed members may be deinitialized here, and other members with them, which lock the hub to be removed.
        withExtendedLifetime(asked) {}
        do {
            fetch(fetches, try access.get(), at: readsAtVersions ? version : nil)
        } catch {
            fail(fetches, error)
        }
    }

    /// Fetches for all members in one read. When the read fails, each member that has not fetched gets a separate read: an
    /// error ends only the observations whose read fails. Fetches are repeated when another thread has stopped the read.
    private func fetch(_ fetches: [Fetching], _ db: Database, at version: SnapshotVersion?) {
        var rest = fetches[...]
        var isShared = true
        // A value is delivered before the next one is fetched. The last one is delivered at the very end: the thread of this
        // access is free then, and continues with it, while any other one would have to wake up.
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
                        // The error of a member's fetch may have ended the transaction.
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
