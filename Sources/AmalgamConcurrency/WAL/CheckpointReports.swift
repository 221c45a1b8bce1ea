import AmalgamCore
import Dispatch
import Synchronization

/// Delivers the checkpoint reports of a WAL policy to its handler, and to all streams.
final class CheckpointReports: Sendable {
    private struct State {
        var last: WALReport?
        var streams: [Int: AsyncStream<WALReport>.Continuation] = [:]
        var streamCount = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let handler: (@Sendable (WALReport) -> Void)?

    init(label: String, _ handler: (@Sendable (WALReport) -> Void)?) {
        queue = DispatchQueue(label: label + ".wal")
        self.handler = handler
    }

    var last: WALReport? { state.withLock { $0.last } }

    func deliver(_ report: WALReport) {
        let streams = state.withLock { state in
            state.last = report
            return Array(state.streams.values)
        }
        streams.forEach { $0.yield(report) }
        if let handler { queue.async { handler(report) } }
    }

    func makeStream() -> AsyncStream<WALReport> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: WALReport.self, bufferingPolicy: .bufferingNewest(100))
        let number: Int? = state.withLock { state in
            if state.isClosed { return nil }
            state.streamCount += 1
            state.streams[state.streamCount] = continuation
            return state.streamCount
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    func close() {
        let streams = state.withLock { state in
            state.isClosed = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        streams.forEach { $0.finish() }
    }
}
