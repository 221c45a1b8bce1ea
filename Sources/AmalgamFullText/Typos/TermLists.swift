import AmalgamCore
import Synchronization

/// The terms of full-text tables that a connection has in memory.
///
/// A list is valid for a state of its index, which a fingerprint identifies. The fingerprint is computed again only if
/// the database has changed since the last search, or if the transaction has written. Connections share lists with the
/// same fingerprint. A connection has at most one list per table, until it is closed.
final class TermLists: DatabaseAttachment {
    private static let key = AttachmentKey<TermLists>()

    private struct Entry {
        var dataVersion: UInt64?
        var fingerprint: UInt64
        var list: TermList
    }

    private var entries: [String: Entry] = [:]

    /// The current terms of an index.
    static func terms(of index: FullTextIndex) throws -> TermList {
        let lists = index.db.attachment(key, orInsert: TermLists())
        return try lists.terms(of: index)
    }

    private func terms(of index: FullTextIndex) throws -> TermList {
        let name = index.table.lowercased()
        let version = try index.dataVersion()
        if let entry = entries[name], let version, entry.dataVersion == version { return entry.list }
        let fingerprint = try index.fingerprint()
        let known = entries[name].flatMap { $0.fingerprint == fingerprint ? $0.list : nil }
        let list = try known ?? SharedTermLists.list(of: fingerprint) ?? index.terms()
        SharedTermLists.add(list, fingerprint)
        entries[name] = Entry(dataVersion: version, fingerprint: fingerprint, list: list)
        return list
    }

    /// A table with the same name may be a different table.
    func schemaDidChange() { entries = [:] }
}

/// The lists of all connections of the process.
private enum SharedTermLists {
    private struct Reference {
        weak var list: TermList?
    }

    private static let lists = Mutex<[UInt64: Reference]>([:])

    static func list(of fingerprint: UInt64) -> TermList? {
        lists.withLock { $0[fingerprint]?.list }
    }

    static func add(_ list: TermList, _ fingerprint: UInt64) {
        lists.withLock { lists in
            if lists[fingerprint]?.list === list { return }
            lists = lists.filter { $0.value.list != nil }
            lists[fingerprint] = Reference(list: list)
        }
    }
}
