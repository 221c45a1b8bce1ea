public import AmalgamCore

extension ValueObservation {
    /// Calls closures on the events of the observation.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .handleEvents(willFetch: { print("fetching") }, didReceiveValue: { print($0.count, "players") })
    /// ```
    ///
    /// The closures run on the threads where the events happen, some of them inside of database accesses. They must not
    /// use the database.
    ///
    /// - Parameters:
    ///   - willStart: called when the observation starts.
    ///   - willFetch: called before a value is fetched.
    ///   - willTrackRegion: called with the tracked region, at the start and each time the region changes.
    ///   - databaseDidChange: called when a commit has changed the tracked region.
    ///   - didReceiveValue: called with each value that results from the operators before `handleEvents`.
    ///   - didFail: called with the error that ends the observation.
    ///   - didCancel: called when the observation is cancelled.
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

    /// Prints the events of the observation.
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
    ///   - prefix: put before each message, followed by a colon, unless it is empty.
    ///   - stream: receives each message in one `write`, without a line break. If it is nil, messages are printed to
    ///     the standard output, one per line.
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

/// Writes the messages of all threads to a stream, one at a time. No lock is held while the stream writes.
private final class PrintOutput: @unchecked Sendable {
    // Sendable: the initializer receives the stream as `sending`, and only the thread that forwards messages uses it.
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
