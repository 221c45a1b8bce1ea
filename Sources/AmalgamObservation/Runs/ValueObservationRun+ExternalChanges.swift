import AmalgamConcurrency
import AmalgamCore
import Synchronization

// Commits of others.
extension ValueObservationRun {
    /// Starts to wait for commits of others, once the initial value is fetched.
    func watchOthers() {
        guard settings.includesExternalChanges, let (database, hub) = live else { return }
        watch.withLock { watch in
            watch = Task { [weak self] in
                do {
                    let changes = try await database.externalChanges()
                    // Nobody tells of those who wrote after the initial value was fetched, and before now.
                    self?.lookForOthers(database, hub)
                    for try await _ in changes { self?.lookForOthers(database, hub) }
                } catch is CancellationError {
                    // The observation has ended.
                } catch {
                    self?.fail(error)
                }
            }
        }
        // It may have ended just before.
        if !isRunning { watch.withLock { $0 }?.cancel() }
    }

    private func lookForOthers(_ database: any ObservableDatabase, _ hub: ObservationHub) {
        database.asyncWriteWithoutTransaction { [weak self] db in
            guard let self, isRunning else { return }
            // Without versions, the fetches of this connection tell what is known.
            if !database.readsAtVersions, let version = db.versionOfOthers, version == dataVersion { return }
            hub.othersDidWrite(self, db)
        }
    }
}

extension Database {
    /// What changes when others commit; nil for a database that others cannot write.
    var versionOfOthers: Int? {
        guard filePath() != nil else { return nil }
        return (try? lookForCommitsOfOthers()).map { Int($0.dataVersion) }
    }
}
