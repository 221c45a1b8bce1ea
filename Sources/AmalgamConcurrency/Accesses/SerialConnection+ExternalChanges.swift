import AmalgamCore

extension SerialConnection {
    /// The commits of others, from now on.
    func externalChanges() async throws -> ExternalChanges {
        try await perform { db in
            let watch = try self.watchExternalChanges(db)
            return ExternalChanges(watch, after: watch.dataVersion)
        }
    }

    /// The watch that all loops share, which has just checked.
    private func watchExternalChanges(_ db: Database) throws -> ExternalChangeWatch {
        try db.checkAccess()
        if let watch = externalChangeWatch, !watch.hasEnded {
            try watch.check(db)
            return watch
        }
        let watch = try ExternalChangeWatch(db, queue: queue) { [weak self] check in self?.run(check) }
        externalChangeWatch = watch
        return watch
    }
}
