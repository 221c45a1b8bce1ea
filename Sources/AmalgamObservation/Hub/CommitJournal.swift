import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// The commits that came while values were being fetched, oldest first.
///
/// A fetch may find out that another region must be tracked than before. Then the commits since it began must be judged
/// again. A commit that all fetches under way have seen is dropped: the journal is never longer than the number of commits
/// since the oldest fetch began.
struct CommitJournal {
    struct Commit {
        let number: Int
        let version: SnapshotVersion?
        /// Nil when they are not all known.
        let kinds: Set<DatabaseEventKind>?
    }

    private var commits: [Commit] = []

    /// The number of fetches under way, by the number of the last commit when they began.
    private var fetchCounts: [Int: Int] = [:]

    /// Whether a fetch is under way. No commit is kept otherwise.
    var isKept: Bool { !fetchCounts.isEmpty }

    /// The number of commits that are kept.
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

    /// The commits that have changed a region, and that a fetch has not seen.
    ///
    /// - Parameter version: what the fetch has seen, if it is known.
    func commits(changing region: DatabaseRegion, after fetch: HubFetch, notIn version: SnapshotVersion?) -> [Commit] {
        commits.filter { commit in
            commit.number > fetch.commitNumber && !commit.version.isSeen(in: version)
                && (commit.kinds?.contains(where: region.isConcerned) ?? true)
        }
    }
}

/// A fetch under way.
final class HubFetch: Sendable {
    /// The number of the last commit when it began.
    let commitNumber: Int

    private let hasEnded = Atomic<Bool>(false)

    init(commitNumber: Int) {
        self.commitNumber = commitNumber
    }

    /// - Returns: whether it was under way.
    fileprivate func end() -> Bool { !hasEnded.exchange(true, ordering: .relaxed) }
}

extension SnapshotVersion? {
    /// Whether who has seen another version has seen this one as well, for sure.
    func isSeen(in other: SnapshotVersion?) -> Bool {
        guard let self, let other, let order = self.order(relativeTo: other) else { return false }
        return order != .newer
    }
}
