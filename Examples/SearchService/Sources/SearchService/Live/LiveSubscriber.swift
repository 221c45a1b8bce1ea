import Amalgam
import NIOCore
import Synchronization

/// An open page that receives events.
///
/// Events wait in a short queue while they are sent. A client for which the queue overflows is too slow, and is disconnected.
final class LiveSubscriber: Sendable {
    let events: AsyncStream<ByteBuffer>
    private let continuation: AsyncStream<ByteBuffer>.Continuation
    private let observation = Mutex<AnyDatabaseCancellable?>(nil)
    private let disconnect: @Sendable () -> Void

    private static let queueLength = 16

    init(disconnect: @escaping @Sendable () -> Void) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.queueLength))
        self.disconnect = disconnect
    }

    func send(_ event: ByteBuffer) {
        if case .dropped = continuation.yield(event) {
            finish()
            disconnect()
        }
    }

    /// Ends the connection after the events in the queue.
    func finish() {
        continuation.finish()
        observation.withLock { $0.take() }?.cancel()
    }

    func follow(_ query: SharedValueObservation<ByteBuffer>) {
        let cancellable = query.start { [weak self] error in
            self?.send(ServerSentEvent.ended("The search can't be followed: \(error)"))
            self?.finish()
        } onChange: { [weak self] event in
            self?.send(event)
        }
        observation.withLock { $0 = cancellable }
    }
}

extension LiveSubscriber: Hashable {
    static func == (a: LiveSubscriber, b: LiveSubscriber) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
