import AmalgamConcurrency
import AmalgamCore
import Synchronization

// Commits of other connections.
extension ValueObservationRun {
    /// Starts to wait for commits of other connections, after the initial value was fetched.
    func watchExternalCommits() {
        guard settings.includesExternalChanges, let (database, hub) = live else { return }
        watch.withLock { watch in
            watch = Task { [weak self] in
                do {
                    let changes = try await database.externalChanges()
                    // The sequence doesn't report commits between the fetch of the initial value and now.
                    self?.checkForExternalCommits(database, hub)
                    for try await _ in changes { self?.checkForExternalCommits(database, hub) }
                } catch is CancellationError {
                    // The observation has ended.
                } catch {
                    self?.fail(error)
                }
            }
        }
        // The observation may have ended just before.
        if !isRunning { watch.withLock { $0 }?.cancel() }
    }

    private func checkForExternalCommits(_ database: any ObservableDatabase, _ hub: ObservationHub) {
        database.asyncWriteWithoutTransaction { [weak self] db in
            guard let self, isRunning else { return }
            // Without snapshots, the data version of the last fetch tells whether it has seen all commits.
            if !database.readsAtVersions, let version = Self.externalVersion(db), version == dataVersion { return }
            hub.externalCommitsDidOccur(self, db)
        }
    }

    /// Returns the data version (`PRAGMA data_version`), a number that changes when another connection commits. Returns
    /// nil for a database without a file, which no other connection can write.
    static func externalVersion(_ db: Database) -> Int? {
        guard db.filePath() != nil else { return nil }
        return (try? db.checkForExternalCommits()).map { Int($0.dataVersion) }
    }
}
