public import AmalgamConcurrency
import AmalgamCore

extension ValueObservation {
    /// Starts the observation, and calls back on the main actor.
    ///
    /// ```swift
    /// let cancellable = observation.start(in: dbPool) { error in
    ///     // isolated to the main actor
    /// } onChange: { players in
    ///     // isolated to the main actor
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool. What a snapshot reads does not change: it gives the initial value only, and so do
    ///     types of your own, which cannot be observed.
    ///   - scheduler: `.mainActor`: always asynchronously; or `.immediate`: the initial value comes before this method
    ///     returns.
    ///   - onError: called once, with the error that ends the observation. From inside of a database access, an
    ///     immediate start gives `SQLITE_MISUSE` here; an immediate start that is interrupted gives `SQLITE_INTERRUPT`, and one
    ///     that falls into a suspension `SQLITE_ABORT`.
    ///   - onChange: called with each value.
    /// - Returns: what stops the observation, on demand or when it is released.
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

    /// Starts the observation, and calls back where a scheduler says.
    ///
    /// ```swift
    /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
    ///     print(error)
    /// } onChange: { players in
    ///     print("fresh players", players)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool. What a snapshot reads does not change: it gives the initial value only, and so do
    ///     types of your own, which cannot be observed.
    ///   - onError: called once, with the error that ends the observation.
    ///   - onChange: called with each value.
    /// - Returns: what stops the observation, on demand or when it is released.
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

    /// - Parameter schedule: has the scheduler run an action, now or later.
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

    /// The values, as an asynchronous sequence. Each loop over it starts the observation.
    ///
    /// ```swift
    /// for try await players in observation.values(in: dbPool) {
    ///     print("fresh players", players)
    /// }
    /// ```
    ///
    /// The observation ends with the loop, or when its task is cancelled. The loop throws the error of the observation.
    ///
    /// - Parameters:
    ///   - scheduler: where values come from: it only matters for the closures of others, such as `print`.
    ///   - bufferingPolicy: what becomes of values that come while the loop is busy. `.bufferingNewest(1)` drops all but
    ///     the last one.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}
