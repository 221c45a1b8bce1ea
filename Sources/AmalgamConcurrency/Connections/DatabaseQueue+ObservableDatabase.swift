package import AmalgamCore

extension DatabaseQueue: ObservableDatabase {
    package var writeObserver: WriteObserverSlot { connection.writeObserver }

    package var readsAtVersions: Bool { false }

    package func observingAccess<T>(_ access: (Database) throws -> T) throws -> T {
        try connection.throwingSync(access)
    }

    /// A queue has one connection only.
    package func spawnReadWithoutWaiting(
        opensReader: Bool, _ value: @escaping @Sendable (Database) -> Void
    ) -> Bool { false }
}
