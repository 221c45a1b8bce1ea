import ServiceLifecycle

/// Sends the progress of indexing to all open pages, and finds out which of them are gone.
struct LiveService: Service {
    let queries: LiveQueries
    let status: IndexStatus

    func run() async {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown { await sendEvents() }
        } onGracefulShutdown: {
            queries.finishAll()
        }
    }

    private func sendEvents() async {
        var sent = status.current
        var second = 0
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            second += 1
            let current = status.current
            if current.text != sent.text, let event = try? ServerSentEvent.make("status", current) {
                queries.broadcast(event)
                sent = current
            } else if second.isMultiple(of: 15) {
                queries.broadcast(ServerSentEvent.heartbeat)
            }
        }
    }
}
