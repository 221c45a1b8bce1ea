import Hummingbird
import NIOCore
import ServiceInputs

/// Server-sent events with the results of a search, each time they change.
struct LiveAPI: Sendable {
    let queries: LiveQueries
    var subscriberLimit = 2_000

    func addRoutes(to router: Router<ServiceContext>) { router.get("/api/live", use: follow) }

    private func follow(_ request: Request, _ context: ServiceContext) throws -> Response {
        if queries.subscriberCount >= subscriberLimit {
            throw HTTPError(.serviceUnavailable, message: "Too many pages are open.")
        }
        let parameters = SearchParameters(request.fields)
        let channel = context.channel
        let body = ResponseBody { writer in
            let subscriber = LiveSubscriber { channel.close(promise: nil) }
            queries.subscribe(subscriber, to: parameters)
            defer { queries.unsubscribe(subscriber, from: parameters) }
            try await request.body.consumeWithInboundCloseHandler { _ in
                for await event in subscriber.events { try await writer.write(event) }
            } onInboundClosed: {
                subscriber.finish()
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }
}
