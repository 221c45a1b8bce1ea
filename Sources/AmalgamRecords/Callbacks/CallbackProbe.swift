import AmalgamCore
private import Synchronization

/// Finds out which insertion callbacks of a record type are the default ones, which do nothing.
///
/// While a connection inserts a record with a probe, the default callbacks report themselves. A type can't call the
/// default implementation of a callback that it implements itself. So the report of a callback shows that the type
/// doesn't implement it.
final class CallbackProbe: @unchecked Sendable {
    // Sendable, because values that callbacks receive contain it. It is only used during the insertion.

    struct Callbacks: OptionSet {
        let rawValue: UInt8

        static let willSave = Callbacks(rawValue: 1)
        static let aroundSave = Callbacks(rawValue: 2)
        static let willInsert = Callbacks(rawValue: 4)
        static let aroundInsert = Callbacks(rawValue: 8)
        static let didInsert = Callbacks(rawValue: 16)
        static let didSave = Callbacks(rawValue: 32)

        /// All callbacks of an insertion.
        static let insertion: Callbacks = [.willSave, .aroundSave, .willInsert, .aroundInsert, .didInsert, .didSave]
    }

    /// The number of probes in use, in all connections. The default callbacks read it first, because it is nearly always 0.
    private static let count = Atomic<Int>(0)

    private let type: Any.Type
    private(set) var defaults: Callbacks = []

    init(_ type: Any.Type) {
        self.type = type
        Self.count.add(1, ordering: .relaxed)
    }

    deinit { Self.count.subtract(1, ordering: .relaxed) }

    /// Notes that the default implementation of a callback was called. A callback of one type may insert records of
    /// another type.
    func note(_ callback: Callbacks, _ type: Any.Type) {
        if type == self.type { defaults.insert(callback) }
    }

    /// Notes that the default implementation of a callback was called.
    static func note(_ callback: Callbacks, _ type: Any.Type, _ db: Database) {
        if count.load(ordering: .relaxed) > 0 { RecordPlans.of(db).probe?.note(callback, type) }
    }
}
