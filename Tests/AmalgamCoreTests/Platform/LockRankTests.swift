import AmalgamCore
import Testing

/// The order in which a thread acquires mutexes that it holds at the same time. Only debug builds check it.
struct LockRankTests {
    @Test func theOrderOfTheRanks() {
        let first = RankedMutex(.observations, 1)
        let second = RankedMutex(.readers, 2)
        let sum = first.withLock { first in second.withLock { first + $0 } }
        #expect(sum == 3)
        // The second one may be locked without the first one, and the first one afterwards.
        let values = [second.withLock { $0 }, first.withLock { $0 }]
        #expect(values == [2, 1])
    }

    @Test func errorsUnlock() {
        struct Oops: Error {}
        let first = RankedMutex(.observations, 1)
        let second = RankedMutex(.readers, 2)
        var isThrown = false
        do throws(Oops) {
            try second.withLock { _ throws(Oops) in throw Oops() }
        } catch {
            isThrown = true
        }
        let value = first.withLock { $0 }
        #expect(isThrown)
        #expect(value == 1)
    }

    #if DEBUG
    @Test func aWrongOrderTraps() async {
        await #expect(processExitsWith: .failure) {
            let first = RankedMutex(.observations, 1)
            let second = RankedMutex(.readers, 2)
            second.withLock { _ in first.withLock { _ in } }
        }
    }

    /// Locking two mutexes of the same rank traps, because two threads could lock them in different orders.
    @Test func oneRankTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            let first = RankedMutex(.readers, 1)
            let second = RankedMutex(.readers, 2)
            first.withLock { _ in second.withLock { _ in } }
        }
    }
    #endif
}
