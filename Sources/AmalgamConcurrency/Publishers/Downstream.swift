#if canImport(Combine) || OpenCombine
#if canImport(Combine)
package import Combine
#else
package import OpenCombine
#endif

/// The subscriber of a subscription, which may be called from any thread.
package struct Downstream<Output>: @unchecked Sendable {
    // Sendable: subscriptions call a subscriber from one thread at a time, as Combine guarantees.
    package let subscriber: any Subscriber<Output, any Error>

    package init(_ subscriber: some Subscriber<Output, any Error>) {
        self.subscriber = subscriber
    }
}
#endif
