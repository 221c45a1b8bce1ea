/// What decides how long a commit may be missing after a power failure.
package struct Setting: Hashable, Sendable, CustomStringConvertible {
    /// The journal mode.
    package enum Journal: String, CaseIterable, Sendable {
        case delete, truncate, persist, wal
    }

    /// `PRAGMA synchronous`.
    package enum Synchronous: String, CaseIterable, Sendable {
        case off, normal, full, extra
    }

    /// `Configuration.walPolicy`.
    package enum Policy: String, CaseIterable, Sendable {
        /// No policy: SQLite's automatic checkpoints.
        case automatic
        case policy
        case replicated
    }

    package var journal: Journal
    package var synchronous: Synchronous
    package var policy: Policy

    package init(_ journal: Journal, _ synchronous: Synchronous, _ policy: Policy = .automatic) {
        self.journal = journal
        self.synchronous = synchronous
        self.policy = policy
    }

    package static let all: [Setting] = Journal.allCases.flatMap { journal in
        Synchronous.allCases.flatMap { synchronous in
            (journal == .wal ? Policy.allCases : [.automatic]).map { Setting(journal, synchronous, $0) }
        }
    }

    package var description: String { "\(journal.rawValue)-\(synchronous.rawValue)-\(policy.rawValue)" }
}

/// What a database file holds after a power failure. Each case promises what the cases before it promise.
package enum Promise: Int, Comparable, CaseIterable, Sendable {
    /// The file may be damaged.
    case nothing
    /// The file is intact. It holds no transaction in part, and no transaction without the ones before it. The
    /// transactions before the last complete checkpoint are there; with a rollback journal, any may be missing.
    case intact
    /// Only the last commit may be missing.
    case allButLast
    /// Each commit is there.
    case everyCommit

    package static func < (a: Promise, b: Promise) -> Bool { a.rawValue < b.rawValue }
}

extension Setting {
    /// The promise of the setting.
    ///
    /// - Parameter keepsOrder: whether the disk keeps the order of writes. No common disk does.
    package func promise(keepsOrder: Bool) -> Promise {
        switch (journal, synchronous) {
        case (_, .off): keepsOrder ? .intact : .nothing
        case (.wal, .normal): .intact
        case (.wal, _): .everyCommit
        case (.persist, .normal): keepsOrder ? .everyCommit : .nothing
        case (_, .normal): keepsOrder ? .allButLast : .nothing
        case (.delete, .full): .allButLast
        case (_, _): .everyCommit
        }
    }

    package func promise(_ behavior: Crash.Behavior) -> Promise { promise(keepsOrder: behavior == .keepsOrder) }

    /// Whether a transaction that writes to two files is in both of them or in none. With `OFF`, SQLite leaves out the
    /// journal that the files would share.
    package var isAtomicAcrossFiles: Bool { journal != .wal && synchronous != .off }
}
