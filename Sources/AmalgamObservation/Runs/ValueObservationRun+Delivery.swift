import AmalgamCore
import Dispatch
import Synchronization

// The reduction of fetched values, and their delivery to the consumer.
extension ValueObservationRun {
    /// The result of a fetch and its reduction.
    enum Outcome: Sendable {
        case value(ReducedValue)
        case failure(any Error)

        var isError: Bool {
            if case .failure = self { true } else { false }
        }
    }

    typealias Ticket = ReorderBuffer<Reduction>.Ticket

    /// A fetched value to reduce, and the closure that receives the outcome.
    struct Reduction: Sendable {
        let fetched: Result<FetchedValue, any Error>
        /// Whether a commit has changed the tracked region during the fetch.
        let isOutdated: Bool
        let deliver: @Sendable (Outcome) -> Void
    }

    var delivery: ValueObservationDelivery { state.withLock { $0.delivery } }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    // MARK: Order

    func reserve() -> Ticket { reorderBuffer.reserve() }

    /// Fills a reserved ticket.
    func fill(_ ticket: Ticket, _ fetched: Result<FetchedValue, any Error>) { fill(ticket, fetched, deliver) }

    func fill(
        _ ticket: Ticket, _ fetched: Result<FetchedValue, any Error>, isOutdated: Bool = false,
        _ deliver: @escaping @Sendable (Outcome) -> Void
    ) {
        reorderBuffer.fill(
            ticket, Reduction(fetched: fetched, isOutdated: isOutdated, deliver: deliver), forward: forward)
    }

    /// Cancels a ticket (a position in the order of values), so that the values after it can be forwarded.
    func cancel(_ ticket: Ticket) { reorderBuffer.fill(ticket, nil, forward: forward) }

    /// Reduces a fetched value. Called in the order of the tickets, by one thread at a time.
    private func forward(_ reduction: Reduction) {
        if case .failure = reduction.fetched { isFailing = true }
        if reducesAtOnce && !isFailing { return reduce(reduction) }
        reducing.async { [self] in reduce(reduction) }
    }

    /// Reduces a value on the queue, or on the forwarding thread if the reducer runs no code. No lock is held.
    private func reduce(_ reduction: Reduction) {
        guard isRunning else { return }
        do {
            let value = try reduction.fetched.get().reduce()
            if reduction.isOutdated { settings.events.databaseDidChange() }
            if delivery == .latest { perform(state.withLock { $0.fetchEnded(hasValue: value != nil) }) }
            if let value { reduction.deliver(.value(value)) }
        } catch {
            guard state.withLock({ $0.fail() }) else { return }
            release()
            for didFail in settings.events.didFail { didFail(error) }
            reduction.deliver(.failure(error))
        }
    }

    // MARK: Delivery

    /// Schedules the delivery of an outcome to the consumer.
    func deliver(_ outcome: Outcome) {
        let isEarly = earlyOutcomes.withLock { early in
            early?.append(outcome)
            return early != nil
        }
        if !isEarly { schedule(outcome.isError) { [self] in give(outcome) } }
    }

    /// Schedules the outcomes that had to wait until the thread of an immediate start has delivered the first outcome.
    func deliverEarlyOutcomes() {
        while true {
            let outcomes = earlyOutcomes.withLock { early in
                let outcomes = early ?? []
                early = outcomes.isEmpty ? nil : []
                return outcomes
            }
            if outcomes.isEmpty { return }
            for outcome in outcomes { schedule(outcome.isError) { [self] in give(outcome) } }
        }
    }

    /// Delivers an outcome to the consumer, unless the observation was cancelled.
    func give(_ outcome: Outcome) {
        switch outcome {
        case .value(let value):
            guard let action = state.withLock({ $0.consumerTakesValue() }) else { return }
            // The next value may be fetched while the consumer handles this one.
            perform(action)
            // The observation may have been cancelled just before.
            if state.withLock({ $0.lifecycle != .ended }) { value.notify() }
        case .failure(let error):
            if state.withLock({ $0.end() }) { onError(error) }
        }
    }
}

/// The outcome that an immediate start waits for.
final class FirstOutcome: Sendable {
    private let outcome = Mutex<ValueObservationRun.Outcome?>(nil)

    var value: ValueObservationRun.Outcome? { outcome.withLock { $0 } }

    func set(_ newOutcome: ValueObservationRun.Outcome) { outcome.withLock { $0 = newOutcome } }
}
