import Foundation
import NIOCore
import ServiceInputs
import Testing

@testable import SearchService

@Suite struct `Live searches` {
    private func subscriber() -> LiveSubscriber { LiveSubscriber {} }

    /// Returns the next event, without heartbeats.
    private func next(_ events: inout AsyncStream<ByteBuffer>.Iterator) async -> String? {
        await events.next().map { String(buffer: $0) }
    }

    @Test func `receive the results, and again when documents change`() async throws {
        let test = try TestService()
        let queries = LiveQueries(test.service.store, pace: .milliseconds(1))
        let (subscriber, parameters) = (subscriber(), SearchParameters(text: "otter"))
        queries.subscribe(subscriber, to: parameters)
        var events = subscriber.events.makeAsyncIterator()
        let first = try #require(await next(&events))
        #expect(first.hasPrefix("event: results\ndata: {"))
        #expect(first.hasSuffix("\n\n"))
        try test.write("An otter dives.", to: "new.txt")
        test.service.indexer.scan()
        let second = try #require(await next(&events))
        #expect(second.contains("new.txt"))
        queries.unsubscribe(subscriber, from: parameters)
        #expect(queries.queryCount == 0)
        #expect(await next(&events) == nil)
    }

    @Test func `aren't notified of documents that don't change their results`() async throws {
        let test = try TestService()
        let queries = LiveQueries(test.service.store, pace: .milliseconds(1))
        let subscriber = subscriber()
        queries.subscribe(subscriber, to: SearchParameters(text: "heron", sort: .title))
        var events = subscriber.events.makeAsyncIterator()
        _ = await next(&events)
        try test.write("Nothing.", to: "new.txt")
        test.service.indexer.scan()
        try await Task.sleep(for: .milliseconds(200))
        queries.broadcast(ServerSentEvent.heartbeat)
        #expect(await next(&events) == ": \n\n")
    }

    @Test func `with the same parameters share one observation`() async throws {
        let test = try TestService()
        let queries = LiveQueries(test.service.store)
        let subscribers = (0..<5).map { _ in subscriber() }
        for subscriber in subscribers { queries.subscribe(subscriber, to: SearchParameters(text: "otter")) }
        #expect(queries.queryCount == 1)
        #expect(queries.subscriberCount == 5)
        for subscriber in subscribers {
            var events = subscriber.events.makeAsyncIterator()
            #expect(await next(&events)?.contains("results") == true)
        }
    }

    @Test func `beyond the limit end the one that was seen least recently, and tell its page`() async throws {
        let test = try TestService()
        let queries = LiveQueries(test.service.store, queryLimit: 2)
        let subscribers = (0..<4).map { _ in subscriber() }
        for (subscriber, text) in zip(subscribers, ["a", "b", "a", "c"]) {
            queries.subscribe(subscriber, to: SearchParameters(text: text))
        }
        #expect(queries.queryCount == 2)
        var received: [String] = []
        for await event in subscribers[1].events { received.append(String(buffer: event)) }
        #expect(received.last?.contains("event: ended\ndata: {\"reason\":\"Live results have ended") == true)
        queries.broadcast(ServerSentEvent.heartbeat)
        var others = subscribers[3].events.makeAsyncIterator()
        #expect(await next(&others) != nil)
    }

    @Test func `disconnect clients that are too slow`() async throws {
        let isDisconnected = Flag()
        let subscriber = LiveSubscriber { isDisconnected.set() }
        for _ in 0..<16 { subscriber.send(ServerSentEvent.heartbeat) }
        #expect(!isDisconnected.isSet)
        subscriber.send(ServerSentEvent.heartbeat)
        #expect(isDisconnected.isSet)
    }
}

/// A Boolean that several threads use.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}
