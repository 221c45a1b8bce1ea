import TestSupport
import Testing

@testable import AmalgamConcurrency

@Suite struct FIFOQueueTests {
    @Test func firstComeFirstServed() {
        var queue = FIFOQueue<Int>()
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
        queue.append(1)
        queue.append(2)
        #expect(queue.popFirst() == 1)
        queue.append(3)
        #expect(queue.count == 2)
        #expect(queue.popFirst() == 2)
        #expect(queue.popFirst() == 3)
        #expect(queue.popFirst() == nil)
        #expect(queue.isEmpty)
    }

    /// The queue has the same elements as an array after the same operations.
    @Test(arguments: 1...20)
    func asAnArray(seed: Int) {
        var (queue, model, dice) = (FIFOQueue<Int>(), [Int](), Dice(actor: seed))
        for number in 0..<500 {
            if dice.once(in: 2) {
                queue.append(number)
                model.append(number)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count)
        }
        #expect(queue.popAll() == model)
        #expect(queue.isEmpty)
        queue.append(1)
        #expect(queue.popFirst() == 1)
    }

    /// The queue releases removed elements.
    @Test func nobodyIsKept() {
        final class Someone {}
        var queue = FIFOQueue<Someone>()
        var someone: Someone? = Someone()
        weak let left = someone
        queue.append(someone!)
        for _ in 0..<3 { queue.append(Someone()) }
        someone = nil
        _ = queue.popFirst()
        #expect(left == nil)
    }
}

@Suite struct CancellableQueueTests {
    @Test func whoeverLeavesIsSkipped() {
        var queue = CancellableQueue<String>()
        queue.append("Anna")
        let number = queue.append("Ben")
        queue.append("Clara")
        #expect(queue.remove(number) == "Ben")
        #expect(queue.remove(number) == nil)
        #expect(queue.count == 2)
        #expect(queue.popFirst()?.element == "Anna")
        #expect(queue.popFirst()?.element == "Clara")
        #expect(queue.popFirst() == nil)
        #expect(queue.isEmpty)
    }

    @Test func nobodyLeavesWhoseTurnHasCome() {
        var queue = CancellableQueue<String>()
        let number = queue.append("Anna")
        #expect(queue.popFirst()?.number == number)
        queue.append("Ben")
        #expect(queue.remove(number) == nil)
        #expect(queue.count == 1)
    }

    /// The queue has the same elements as an array after the same operations, including removals.
    @Test(arguments: 1...20)
    func asAnArray(seed: Int) {
        var (queue, model, dice) = (CancellableQueue<Int>(), [(number: Int, element: Int)](), Dice(actor: seed))
        for element in 0..<1000 {
            if dice.once(in: 2) {
                model.append((queue.append(element), element))
            } else if dice.once(in: 4) {
                #expect(queue.popFirst()?.element == (model.isEmpty ? nil : model.removeFirst().element))
            } else if !model.isEmpty {
                // Remove from the end more often than from the middle.
                let index = dice.once(in: 2) ? model.count - 1 : model.count / 2
                let someone = model.remove(at: index)
                #expect(queue.remove(someone.number) == someone.element)
            }
            #expect(queue.count == model.count)
        }
        #expect(queue.popAll().map(\.element) == model.map(\.element))
        #expect(queue.isEmpty)
    }
}
