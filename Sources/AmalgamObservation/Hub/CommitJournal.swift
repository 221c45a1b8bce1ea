import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// The commits made while values were being fetched, oldest first.
///
/// A fetch may change the region that its observation tracks, for example because it reads another table. The commits
/// since the beginning of this fetch were compared only with the old region. When the fetch ends, they are compared
/// with the new region. A commit is removed from the journal when all fetches that began before the commit have ended.
struct CommitJournal {
    struct Commit {
        let number: Int
        let version: SnapshotVersion?
        /// The kinds of change in the transaction; nil if not all of them are known.
        let kinds: Set<DatabaseEventKind>?
    }

    private var commits: [Commit] = []

    /// The number of running fetches, by the number of the last commit before their beginning.
    private var fetchCounts: [Int: Int] = [:]

    /// Whether a fetch is running. Otherwise no commit is added.
    var isKept: Bool { !fetchCounts.isEmpty }

    /// The number of commits in the journal.
    var count: Int { commits.count }

    /// - Parameter number: the number of the last commit.
    mutating func beginFetch(after number: Int) -> HubFetch {
        fetchCounts[number, default: 0] += 1
        return HubFetch(commitNumber: number)
    }

    mutating func end(_ fetch: HubFetch) {
        guard fetch.end(), let count = fetchCounts[fetch.commitNumber] else { return }
        fetchCounts[fetch.commitNumber] = count > 1 ? count - 1 : nil
        if count == 1 { dropSeenCommits() }
    }

    private mutating func dropSeenCommits() {
        guard let oldest = fetchCounts.keys.min() else { return commits = [] }
        commits.removeFirst(commits.prefix { $0.number <= oldest }.count)
    }

    mutating func append(_ commit: Commit) {
        if isKept { commits.append(commit) }
    }

    /// Returns the commits that may have changed a region since the beginning of a fetch. Leaves out the commits that
    /// the snapshot of the fetch contains.
    ///
    /// - Parameter version: the snapshot that the fetch has read, if known.
    func commits(changing region: DatabaseRegion, after fetch: HubFetch, notIn version: SnapshotVersion?) -> [Commit] {
        commits.filter { commit in
            commit.number > fetch.commitNumber && !commit.version.isSeen(in: version)
                && (commit.kinds?.contains(where: region.isConcerned) ?? true)
        }
    }
}

/// A running fetch.
final class HubFetch: Sendable {
    /// The number of the last commit before the fetch.
    let commitNumber: Int

    private let hasEnded = Atomic<Bool>(false)

    init(commitNumber: Int) {
        self.commitNumber = commitNumber
    }

    /// - Returns: whether the fetch was running.
    fileprivate func end() -> Bool { !hasEnded.exchange(true, ordering: .relaxed) }
}

extension SnapshotVersion? {
    /// Whether a connection that reads another snapshot certainly sees the commit of this snapshot.
    func isSeen(in other: SnapshotVersion?) -> Bool {
        guard let self, let other, let order = self.order(relativeTo: other) else { return false }
        return order != .newer
    }
}
