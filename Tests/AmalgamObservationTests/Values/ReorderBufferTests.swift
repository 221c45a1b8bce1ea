@testable import AmalgamObservation
import TestSupport
import Testing

@Suite struct ReorderBufferTests {
    @Test func elementsAreForwardedInTheOrderOfTheirTickets() {
        let buffer = ReorderBuffer<String>()
        let tickets = (1...4).map { _ in buffer.reserve() }
        let log = Log<String>()
        buffer.fill(tickets[2], "c", forward: log.append)
        buffer.fill(tickets[1], "b", forward: log.append)
        #expect(log.elements == [])
        buffer.fill(tickets[0], "a", forward: log.append)
        #expect(log.elements == ["a", "b", "c"])
        buffer.fill(tickets[3], "d", forward: log.append)
        #expect(log.elements == ["a", "b", "c", "d"])
    }

    @Test func aTicketThatIsGivenUpLetsTheElementsBehindItPass() {
        let buffer = ReorderBuffer<String>()
        let tickets = (1...3).map { _ in buffer.reserve() }
        let log = Log<String>()
        buffer.fill(tickets[1], "b", forward: log.append)
        buffer.fill(tickets[2], "c", forward: log.append)
        buffer.fill(tickets[0], nil, forward: log.append)
        #expect(log.elements == ["b", "c"])
    }

    /// No lock is held while an element is forwarded.
    @Test func whoGetsAnElementMayUseTheLine() {
        let buffer = ReorderBuffer<Int>()
        let log = Log<Int>()
        @Sendable func forward(_ number: Int) {
            if number < 3 { buffer.fill(buffer.reserve(), number + 1, forward: forward) }
            log.append(number)
        }
        buffer.fill(buffer.reserve(), 1, forward: forward)
        #expect(log.elements == [1, 2, 3], "an element waits until the one before it was forwarded")
    }

    @Test func threadsForwardOneElementAtATime() throws {
        let buffer = ReorderBuffer<Int>()
        let log = Log<Int>()
        let inside = Box(0)
        let workers = (1...4).map { _ in
            Worker {
                for _ in 1...500 {
                    buffer.fill(buffer.reserve(), 1) { number in
                        if inside.increment() != 1 { Issue.record("two threads forward") }
                        log.append(number)
                        inside.value = 0
                    }
                }
            }
        }
        for worker in workers { try worker.join() }
        #expect(log.elements.count == 2000)
    }
}
