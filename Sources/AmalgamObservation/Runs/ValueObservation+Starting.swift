public import AmalgamConcurrency
import AmalgamCore

extension ValueObservation {
    /// Starts the observation. Its callbacks run on the main actor.
    ///
    /// ```swift
    /// let cancellable = observation.start(in: dbPool) { error in
    ///     print(error)   // isolated to the main actor
    /// } onChange: { players in
    ///     print(players.count)   // isolated to the main actor
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool. With a snapshot, or another type of `DatabaseReader`, the observation delivers
    ///     the initial value only.
    ///   - scheduler: `.mainActor` or `.immediate`. With `.mainActor`, all callbacks are asynchronous. With
    ///     `.immediate`, the initial value is delivered before this method returns.
    ///   - onError: called once, with the error that ends the observation. A start with `.immediate` fails with
    ///     `SQLITE_MISUSE` if it is called in a database access, with `SQLITE_INTERRUPT` if another thread interrupts
    ///     the fetch, and with `SQLITE_ABORT` if the database is suspended.
    ///   - onChange: called with each value.
    /// - Returns: a cancellable. Cancelling or releasing the cancellable stops the observation.
    @preconcurrency @MainActor
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: reader, scheduling: scheduler as any ValueObservationScheduler,
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value in MainActor.assumeIsolated { onChange(value) } })
    }

    /// Starts the observation. A scheduler runs its callbacks.
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "players")
    /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
    ///     print(error)
    /// } onChange: { players in
    ///     print("new players", players)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool. With a snapshot, or another type of `DatabaseReader`, the observation delivers
    ///     the initial value only.
    ///   - scheduler: runs the callbacks.
    ///   - onError: called once, with the error that ends the observation.
    ///   - onChange: called with each value.
    /// - Returns: a cancellable. Cancelling or releasing the cancellable stops the observation.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: reader, scheduling: scheduler as any ValueObservationScheduler, onError: onError, onChange: onChange)
    }

    func start(
        in reader: any DatabaseReader, scheduling scheduler: any ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: reader, scheduling: scheduler, by: { _, action in scheduler.schedule(action) }, onError: onError,
            onChange: onChange)
    }

    /// - Parameter schedule: makes the scheduler run an action, now or later.
    func start(
        in reader: any DatabaseReader, scheduling scheduler: any ValueObservationScheduler,
        by schedule: @escaping ValueObservationRun.Schedule,
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let run = ValueObservationRun(
            self, in: reader, schedulesOffThread: scheduler is any OffThreadScheduler, schedule: schedule,
            onError: onError, onChange: onChange)
        run.start(immediately: scheduler.immediateInitialValue())
        return AnyDatabaseCancellable { run.cancel() }
    }

    /// Returns the values as an asynchronous sequence. Each loop over it starts the observation.
    ///
    /// ```swift
    /// for try await players in observation.values(in: dbPool) {
    ///     print("new players", players)
    /// }
    /// ```
    ///
    /// The observation ends when the loop ends or its task is cancelled. The loop throws the error of the observation.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - scheduler: delivers the values to the sequence. The body of the loop runs in the task that contains the
    ///     loop, whatever the scheduler.
    ///   - bufferingPolicy: the policy for values that are delivered while the loop still handles an earlier value.
    ///     `.bufferingNewest(1)` retains only the last of them.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}
