/// The values of an observation, as an asynchronous sequence.
///
/// Get it with ``ValueObservation/values(in:scheduling:bufferingPolicy:)`` or
/// ``SharedValueObservation/values(bufferingPolicy:)``.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    public typealias AsyncIterator = Iterator

    /// What becomes of values that come while nobody waits for one.
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
        // The task is cancelled. Weak, because the iterator is what keeps the observation going.
        continuation.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
        return Iterator(values: stream.makeAsyncIterator(), cancellable: cancellable)
    }

    /// Waits for one value after the other. The observation ends when it is released.
    public struct Iterator: AsyncIteratorProtocol {
        var values: AsyncThrowingStream<Element, any Error>.AsyncIterator
        let cancellable: AnyDatabaseCancellable

        /// Waits for a value.
        ///
        /// - Returns: nil when the task is cancelled.
        /// - throws: the error of the observation.
        public mutating func next() async throws -> Element? { try await values.next() }
    }
}
