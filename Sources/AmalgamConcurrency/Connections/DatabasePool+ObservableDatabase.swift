package import AmalgamCore

extension DatabasePool: ObservableDatabase {
    package var writeObserver: WriteObserverSlot { writer.writeObserver }

    package var readsAtVersions: Bool { true }

    package func observingAccess<T>(_ access: (Database) throws -> T) throws -> T {
        try readers.asksForWriter { try writer.throwingSync(access) }
    }

    package func spawnReadWithoutWaiting(
        opensReader: Bool, _ value: @escaping @Sendable (Database) -> Void
    ) -> Bool {
        guard let reader = readers.acquireIfIdle(opensReader: opensReader) else { return false }
        return (try? spawnRead(on: reader, value)) != nil
    }
}
