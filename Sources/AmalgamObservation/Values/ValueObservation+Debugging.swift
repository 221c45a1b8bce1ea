public import AmalgamCore

extension ValueObservation {
    /// Calls closures when something happens in the observation.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .handleEvents(willFetch: { print("fetching") }, didReceiveValue: { print($0.count, "players") })
    /// ```
    ///
    /// The closures are called on the threads where things happen, some of them inside of database accesses. They must
    /// not use the database.
    ///
    /// - Parameters:
    ///   - willStart: the observation starts.
    ///   - willFetch: a value is about to be fetched.
    ///   - willTrackRegion: changes of this region will be noticed from now on. Called again when the region becomes
    ///     another one.
    ///   - databaseDidChange: a commit has changed the tracked region.
    ///   - didReceiveValue: there is a fresh value, as far as the operators before this one.
    ///   - didFail: the observation has failed.
    ///   - didCancel: the observation was cancelled.
    public func handleEvents(
        willStart: (@Sendable () -> Void)? = nil, willFetch: (@Sendable () -> Void)? = nil,
        willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
        databaseDidChange: (@Sendable () -> Void)? = nil,
        didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
        didFail: (@Sendable (any Error) -> Void)? = nil, didCancel: (@Sendable () -> Void)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        var observation = reducing { ValueReducers.Trace($0) { didReceiveValue?($0) } }
        observation.settings.events.willStart += willStart.map { [$0] } ?? []
        observation.settings.events.willFetch += willFetch.map { [$0] } ?? []
        observation.settings.events.willTrackRegion += willTrackRegion.map { [$0] } ?? []
        observation.settings.events.databaseDidChange += databaseDidChange.map { [$0] } ?? []
        observation.settings.events.didFail += didFail.map { [$0] } ?? []
        observation.settings.events.didCancel += didCancel.map { [$0] } ?? []
        return observation
    }

    /// Prints what happens in the observation.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") }
    ///     .print("best")
    /// // best: start
    /// // best: fetch
    /// // best: tracked region: player(score)
    /// // best: value: Optional(100)
    /// // best: database did change
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: put before each message, with a colon, unless it is empty.
    ///   - stream: gets each message by one `write`, without an end of line. Messages go to the standard output when it
    ///     is nil, one a line.
    public func print(
        _ prefix: String = "", to stream: sending (any TextOutputStream)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        let prefix = prefix.isEmpty ? "" : prefix + ": "
        let output = PrintOutput(stream)
        return handleEvents(
            willStart: { output.write("\(prefix)start") },
            willFetch: { output.write("\(prefix)fetch") },
            willTrackRegion: { output.write("\(prefix)tracked region: \($0)") },
            databaseDidChange: { output.write("\(prefix)database did change") },
            didReceiveValue: { output.write("\(prefix)value: \($0)") },
            didFail: { output.write("\(prefix)failure: \($0)") },
            didCancel: { output.write("\(prefix)cancel") })
    }
}

/// Writes messages of any thread to a stream, one after the other. No lock is held while the stream writes.
private final class PrintOutput: @unchecked Sendable {
    // Sendable: the stream was sent here, and is only used by the thread that forwards the messages.
    private var stream: (any TextOutputStream)?
    private let buffer = ReorderBuffer<String>()

    init(_ stream: sending (any TextOutputStream)?) {
        self.stream = stream
    }

    func write(_ message: String) {
        buffer.fill(buffer.reserve(), message) { message in
            if stream == nil { Swift.print(message) } else { stream?.write(message) }
        }
    }
}
