@testable import AmalgamObservation
import TestSupport
import Testing

/// Rules of order and coalescing, without a database, a clock or a thread.
@Suite struct ObservationStateTests {
    // MARK: The latest value

    @Test func commitsWhileAValueIsFetchedBecomeOne() {
        var state = ObservationState(delivery: .latest)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.commitCame(), .none)
        #expect(state.isDue)
        expectEqual(state.fetchEnded(hasValue: true), .none)
        // The consumer takes the initial value: then the next one is fetched, for both commits.
        expectEqual(state.consumerTakesValue(), .fetch)
        state.fetchBegins()
        #expect(!state.isDue)
        expectEqual(state.fetchEnded(hasValue: true), .none)
        expectEqual(state.consumerTakesValue(), ObservationAction.none)
        #expect(state.stage == .idle)
    }

    @Test func commitsWhileAValueWaitsForItsConsumerBecomeOne() {
        var state = ObservationState.idle(.latest)
        expectEqual(state.commitCame(), .fetch)
        state.fetchBegins()
        expectEqual(state.fetchEnded(hasValue: true), .none)
        for _ in 1...3 { expectEqual(state.commitCame(), .none) }
        expectEqual(state.consumerTakesValue(), .fetch)
    }

    @Test func aFetchSeesTheCommitsThatCameBeforeItBegan() {
        var state = ObservationState.idle(.latest)
        expectEqual(state.commitCame(), .fetch)
        expectEqual(state.commitCame(), .none)
        state.fetchBegins()
        expectEqual(state.fetchEnded(hasValue: true), .none)
        expectEqual(state.consumerTakesValue(), ObservationAction.none)
    }

    @Test func aValueThatIsDroppedMakesRoomForTheNextOne() {
        var state = ObservationState.idle(.latest)
        expectEqual(state.commitCame(), .fetch)
        state.fetchBegins()
        expectEqual(state.commitCame(), .none)
        expectEqual(state.fetchEnded(hasValue: false), .fetch)
        state.fetchBegins()
        expectEqual(state.fetchEnded(hasValue: false), .none)
        #expect(state == .idle(.latest))
    }

    // MARK: Every commit

    @Test func eachCommitIsFetchedAtOnce() {
        var state = ObservationState.idle(.everyCommit)
        for _ in 1...3 {
            expectEqual(state.commitCame(), .fetchNow)
            state.fetchBegins()
        }
        expectEqual(state.consumerTakesValue(), ObservationAction.none)
        expectEqual(state.commitCame(), .fetchNow)
    }

    @Test func commitsBeforeTheInitialValueIsInLineBecomeOne() {
        var state = ObservationState(delivery: .everyCommit)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.fetchIsEnqueued(), .fetch)
        // A commit before that fetch is seen by it.
        expectEqual(state.commitCame(), .none)
        state.fetchBegins()
        expectEqual(state.fetchIsEnqueued(), .none)
        expectEqual(state.commitCame(), .fetchNow)
    }

    // MARK: Ends

    @Test(arguments: [ValueObservationDelivery.latest, .everyCommit])
    func nothingIsGivenAfterTheEnd(_ delivery: ValueObservationDelivery) {
        var state = ObservationState.idle(delivery)
        _ = state.commitCame()
        expectEqual(state.end(), true)
        expectEqual(state.consumerTakesValue(), nil)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.end(), false)
    }

    @Test(arguments: [ValueObservationDelivery.latest, .everyCommit])
    func valuesThatWaitAreGivenBeforeTheError(_ delivery: ValueObservationDelivery) {
        var state = ObservationState.idle(delivery)
        _ = state.commitCame()
        state.fetchBegins()
        expectEqual(state.fail(), true)
        expectEqual(state.fail(), false)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.consumerTakesValue(), ObservationAction.none)
        // The error.
        expectEqual(state.end(), true)
        expectEqual(state.consumerTakesValue(), nil)
    }

    // MARK: Debounce

    @Test func aDebouncedFetchWaitsForSilence() {
        var state = ObservationState.idle(.latest, .debounce)
        expectEqual(state.commitCame(), .wait(1))
        expectEqual(state.commitCame(), .wait(2))
        // The first timer is outdated.
        expectEqual(state.timeIsUp(1), .none)
        expectEqual(state.timeIsUp(2), .fetch)
        expectEqual(state.timeIsUp(2), .none)
    }

    @Test func commitsDuringADebouncedFetchStartTheNextSilence() {
        var state = ObservationState.idle(.latest, .debounce)
        expectEqual(state.commitCame(), .wait(1))
        expectEqual(state.timeIsUp(1), .fetch)
        state.fetchBegins()
        expectEqual(state.commitCame(), .none)
        expectEqual(state.fetchEnded(hasValue: true), .none)
        expectEqual(state.consumerTakesValue(), .wait(2))
        expectEqual(state.timeIsUp(2), .fetch)
    }

    // MARK: Throttle

    @Test func aThrottledFetchIsFollowedByAPause() {
        var state = ObservationState.idle(.latest, .throttle)
        expectEqual(state.commitCame(), .fetchAndWait(1))
        state.fetchBegins()
        expectEqual(state.fetchEnded(hasValue: true), .none)
        expectEqual(state.consumerTakesValue(), ObservationAction.none)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.commitCame(), .none)
        // One fetch at the end of the interval, and the next interval.
        expectEqual(state.timeIsUp(1), .fetchAndWait(2))
        state.fetchBegins()
        expectEqual(state.fetchEnded(hasValue: true), .none)
        expectEqual(state.consumerTakesValue(), ObservationAction.none)
        // Without a commit in between, the next one is fetched at once.
        expectEqual(state.timeIsUp(2), .none)
        expectEqual(state.commitCame(), .fetchAndWait(3))
    }

    @Test func theInitialValueIsThrottledToo() {
        var state = ObservationState(delivery: .latest, pace: .throttle)
        expectEqual(state.throttleBegins(), .wait(1))
        expectEqual(state.fetchEnded(hasValue: true), .none)
        expectEqual(state.consumerTakesValue(), ObservationAction.none)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.timeIsUp(1), .fetchAndWait(2))
    }

    @Test func aSlowConsumerIsNotOvertakenByTheTimer() {
        var state = ObservationState.idle(.latest, .throttle)
        expectEqual(state.commitCame(), .fetchAndWait(1))
        state.fetchBegins()
        expectEqual(state.fetchEnded(hasValue: true), .none)
        expectEqual(state.commitCame(), .none)
        expectEqual(state.timeIsUp(1), .none)
        expectEqual(state.consumerTakesValue(), .fetchAndWait(2))
    }

    // MARK: All sequences

    /// With events in any order, at most one value is pending, and no commit is forgotten.
    @Test(arguments: [ObservationPace.Rule?.none, .debounce, .throttle])
    func noCommitIsForgotten(_ pace: ObservationPace.Rule?) {
        var generator = SystemRandomNumberGenerator()
        for _ in 1...500 {
            var state = ObservationState.idle(.latest, pace)
            var (commits, seen, fetches, values) = (0, 0, 0, 0)
            var timers: [Int] = []
            func act(_ action: ObservationAction) {
                switch action {
                case .fetch: fetches += 1
                case .wait(let timer): timers.append(timer)
                case .fetchAndWait(let timer):
                    fetches += 1
                    timers.append(timer)
                case .none, .fetchNow: break
                }
            }
            func advance() {
                if fetches > 0 {
                    state.fetchBegins()
                    seen = commits
                    fetches -= 1
                    values += 1
                    act(state.fetchEnded(hasValue: true))
                } else if values > 0 {
                    values -= 1
                    act(state.consumerTakesValue() ?? .none)
                } else if !timers.isEmpty {
                    act(state.timeIsUp(timers.removeFirst()))
                }
                #expect(fetches + values <= 1)
            }
            for _ in 1...20 {
                if Bool.random(using: &generator) {
                    commits += 1
                    act(state.commitCame())
                } else {
                    advance()
                }
            }
            for _ in 1...100 { advance() }
            #expect(seen == commits)
        }
    }
}

extension ObservationState {
    /// The state after the initial value.
    static func idle(_ delivery: ValueObservationDelivery, _ pace: ObservationPace.Rule? = nil) -> ObservationState {
        var state = ObservationState(delivery: delivery, pace: pace)
        if delivery == .everyCommit {
            _ = state.fetchIsEnqueued()
        } else {
            _ = state.fetchEnded(hasValue: false)
        }
        return state
    }
}
