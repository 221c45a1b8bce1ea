#if canImport(Combine) || OpenCombine
#if canImport(Combine)
package import Combine
#else
package import OpenCombine
#endif

/// The subscriber that a subscription has, which is called on other threads than the one that has subscribed.
package struct Downstream<Output>: @unchecked Sendable {
    // Sendable: subscriptions call a subscriber from one thread at a time, whichever it is. That is what it can count on.
    package let subscriber: any Subscriber<Output, any Error>

    package init(_ subscriber: some Subscriber<Output, any Error>) {
        self.subscriber = subscriber
    }
}
#endif
