import AmalgamCore

extension Configuration {
    /// The configuration of a writing connection, and the checkpointer of its WAL file.
    func writing(label: String) -> (Configuration, Checkpointer?) {
        var configuration = self
        configuration.walReaders = nil
        guard let walPolicy, !readonly else { return (configuration, nil) }
        // The checkpoints of the policy replace those of SQLite, which run in commits.
        configuration.automaticCheckpoint = automaticCheckpoint ?? .off
        // The engine writes, too, for its checkpoints: a few milliseconds at a time.
        if walPolicy.isReplicated, case .immediateError = busyMode { configuration.busyMode = .timeout(10) }
        let checkpointer = Checkpointer(walPolicy, label: self.label ?? label)
        configuration.walReaders = checkpointer.readers
        return (configuration, checkpointer)
    }

    /// The configuration of the readers of a pool, for a writer with a checkpointer.
    func reading(besides checkpointer: Checkpointer?) -> Configuration {
        var configuration = self
        configuration.walReaders = checkpointer?.readers
        return configuration
    }
}
