import AmalgamCore
import AmalgamQuery
import AmalgamRecords
import Synchronization

/// How a ``ListObserver`` compares two lists.
struct ListComparison<Element: Sendable & Equatable>: Sendable {
    /// Runs in each fetch, before the list is fetched.
    let prepare: @Sendable (Database) throws -> Void
    let compare: @Sendable ([Element]?, [Element]) -> ListDifference<Element>

    /// Compares elements by an identity.
    init<ID: Hashable & Sendable>(by id: @escaping @Sendable (Element) -> ID) {
        prepare = { _ in }
        compare = { ListDifference(from: $0, to: $1, by: id) }
    }

    /// Compares records by their primary key, or by their content.
    init(ofRecords: Void) where Element: EncodableRecord & TableRecord {
        let key = RecordKey<Element>()
        prepare = key.prepare
        compare = { ListDifference(from: $0, to: $1, by: key.values(of:)) }
    }
}

/// The primary key of a record type.
private final class RecordKey<Record: EncodableRecord & TableRecord>: Sendable {
    /// The columns of the primary key, as of the last fetch.
    private let columns = Mutex<[String]>([])

    @Sendable func prepare(_ db: Database) throws {
        let primaryKey = try db.primaryKey(Record.databaseTableName)
        columns.withLock { $0 = primaryKey.columns }
    }

    /// The values of the primary key of a record. All values if the record doesn't encode its key, such as a hidden rowid, or
    /// if the key contains NULL; none if the record can't be encoded.
    @Sendable func values(of record: Record) -> [DatabaseValue] {
        guard let values = try? record.databaseDictionary else { return [] }
        let columns = columns.withLock { $0 }
        let key = columns.compactMap { column in
            values[column] ?? values.first { $0.key.equalsIgnoringCase(column) }?.value
        }
        if key.count == columns.count, !key.contains(where: \.isNull) { return key }
        return values.sorted { $0.key < $1.key }.flatMap { [$0.key.databaseValue, $0.value] }
    }
}

extension ValueReducers {
    /// A reducer that runs a closure before each fetch of another reducer.
    struct Prepared<Base: ValueReducer>: ValueReducer {
        struct Fetcher: _ValueReducerFetcher {
            let base: Base.Fetcher
            let prepare: @Sendable (Database) throws -> Void

            func fetch(_ db: Database) throws -> Base.Fetcher.Fetched {
                try prepare(db)
                return try base.fetch(db)
            }
        }

        private var base: Base
        private let prepare: @Sendable (Database) throws -> Void

        init(_ base: Base, _ prepare: @escaping @Sendable (Database) throws -> Void) {
            self.base = base
            self.prepare = prepare
        }

        func _makeFetcher() -> Fetcher { Fetcher(base: base._makeFetcher(), prepare: prepare) }

        mutating func _value(_ fetched: Base.Fetcher.Fetched) throws -> Base.Value? { try base._value(fetched) }
    }
}
