import Synchronization

// The columns of types that can't store them in a static property: generic types, and types in generic types. Each row is
// read with the columns of its type, so that finding them takes no lock.

extension _RecordColumns {
    /// Returns the columns of a type, and creates them at the first use.
    public static func of<Record>(_ type: Record.Type, count: Int, _ declare: (inout List) -> Void) -> _RecordColumns {
        let id = ObjectIdentifier(type)
        if let columns = recent.columns(of: id) { return columns }
        if let columns = known.withLock({ $0[id] }) {
            recent.insert(columns, of: id)
            return columns
        }
        // The declaration asks the application for the names of columns, and the types that it embeds for their columns.
        let columns = _RecordColumns(type, count: count, declare)
        return known.withLock { known in
            // Another thread may have created them.
            if let first = known[id] { return first }
            known[id] = columns
            return columns
        }
    }

    /// Retains the columns as long as the process runs.
    private static let known = Mutex<[ObjectIdentifier: _RecordColumns]>([:])

    private static let recent = RecentColumns()
}

/// A table of columns by type, which takes no lock. A slot has the columns that were inserted last, which aren't released.
private final class RecentColumns: Sendable {
    private static let count: UInt = 64

    // Sendable: the slots are atomic, and the pointer never changes.
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>

    init() {
        slots = .allocate(capacity: Int(Self.count))
        for number in 0..<Int(Self.count) { (slots + number).initialize(to: Atomic(nil)) }
    }

    deinit { slots.deallocate() }

    private func slot(_ type: ObjectIdentifier) -> UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>> {
        // The addresses of types are multiples of 8.
        slots + Int(UInt(bitPattern: type) / 8 % Self.count)
    }

    func columns(of type: ObjectIdentifier) -> _RecordColumns? {
        guard let pointer = slot(type).pointee.load(ordering: .acquiring) else { return nil }
        let columns = Unmanaged<_RecordColumns>.fromOpaque(pointer).takeUnretainedValue()
        return columns.type == type ? columns : nil
    }

    func insert(_ columns: _RecordColumns, of type: ObjectIdentifier) {
        let pointer = Unmanaged.passUnretained(columns).toOpaque()
        slot(type).pointee.store(pointer, ordering: .releasing)
    }
}
