import AmalgamCore

extension SerialConnection {
    /// Returns a sequence of the commits of other connections after this call.
    func externalChanges() async throws -> ExternalChanges {
        try await perform { db in
            let watch = try self.watchExternalChanges(db)
            return ExternalChanges(watch, after: watch.dataVersion)
        }
    }

    /// Returns the file watch that all iterations share, after it has checked for commits.
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
