/// The values of an observation, as an asynchronous sequence.
///
/// It is returned by ``ValueObservation/values(in:scheduling:bufferingPolicy:)`` and
/// ``SharedValueObservation/values(bufferingPolicy:)``.
///
/// ```swift
/// for try await players in observation.values(in: dbPool) {
///     print(players.count)
/// }
/// ```
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    public typealias AsyncIterator = Iterator

    /// The policy for values that are delivered while the loop still handles an earlier value.
    ///
    /// ```swift
    /// let values = observation.values(in: dbPool, bufferingPolicy: .bufferingNewest(1))
    /// ```
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

    typealias Start =
        @Sendable (
            _ onError: @escaping @Sendable (any Error) -> Void, _ onChange: @escaping @Sendable (Element) -> Void
        ) -> AnyDatabaseCancellable

    private let bufferingPolicy: BufferingPolicy
    private let start: Start

    init(bufferingPolicy: BufferingPolicy, start: @escaping Start) {
        self.bufferingPolicy = bufferingPolicy
        self.start = start
    }

    /// Starts the observation.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, throwing: (any Error).self, bufferingPolicy: bufferingPolicy)
        let cancellable = start({ continuation.finish(throwing: $0) }, { continuation.yield($0) })
        // Called when the task is cancelled. The reference is weak because the iterator owns the observation.
        continuation.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
        return Iterator(values: stream.makeAsyncIterator(), cancellable: cancellable)
    }

    /// An iterator over the values of a started observation. The observation ends when the iterator is released.
    public struct Iterator: AsyncIteratorProtocol {
        var values: AsyncThrowingStream<Element, any Error>.AsyncIterator
        let cancellable: AnyDatabaseCancellable

        /// Waits for the next value.
        ///
        /// - Returns: the value, or nil if the task is cancelled.
        /// - Throws: the error that ended the observation.
        public mutating func next() async throws -> Element? { try await values.next() }
    }
}
