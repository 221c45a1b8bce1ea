import TestSupport
import Testing

@testable import AmalgamConcurrency

@Suite struct LineTests {
    @Test func firstComeFirstServed() {
        var line = Line<Int>()
        #expect(line.isEmpty)
        #expect(line.popFirst() == nil)
        line.append(1)
        line.append(2)
        #expect(line.popFirst() == 1)
        line.append(3)
        #expect(line.count == 2)
        #expect(line.popFirst() == 2)
        #expect(line.popFirst() == 3)
        #expect(line.popFirst() == nil)
        #expect(line.isEmpty)
    }

    /// Whoever comes and goes, the line is that of an array.
    @Test(arguments: 1...20)
    func asAnArray(seed: Int) {
        var (line, model, dice) = (Line<Int>(), [Int](), Dice(actor: seed))
        for number in 0..<500 {
            if dice.once(in: 2) {
                line.append(number)
                model.append(number)
            } else {
                #expect(line.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(line.count == model.count)
        }
        #expect(line.popAll() == model)
        #expect(line.isEmpty)
        line.append(1)
        #expect(line.popFirst() == 1)
    }

    /// Those who have left are let go.
    @Test func nobodyIsKept() {
        final class Someone {}
        var line = Line<Someone>()
        var someone: Someone? = Someone()
        weak let left = someone
        line.append(someone!)
        for _ in 0..<3 { line.append(Someone()) }
        someone = nil
        _ = line.popFirst()
        #expect(left == nil)
    }
}

@Suite struct OpenLineTests {
    @Test func whoeverLeavesIsSkipped() {
        var line = OpenLine<String>()
        line.append("Anna")
        let number = line.append("Ben")
        line.append("Clara")
        #expect(line.remove(number) == "Ben")
        #expect(line.remove(number) == nil)
        #expect(line.count == 2)
        #expect(line.popFirst()?.element == "Anna")
        #expect(line.popFirst()?.element == "Clara")
        #expect(line.popFirst() == nil)
        #expect(line.isEmpty)
    }

    @Test func nobodyLeavesWhoseTurnHasCome() {
        var line = OpenLine<String>()
        let number = line.append("Anna")
        #expect(line.popFirst()?.number == number)
        line.append("Ben")
        #expect(line.remove(number) == nil)
        #expect(line.count == 1)
    }

    /// Whoever comes, goes and leaves, the line is that of an array.
    @Test(arguments: 1...20)
    func asAnArray(seed: Int) {
        var (line, model, dice) = (OpenLine<Int>(), [(number: Int, element: Int)](), Dice(actor: seed))
        for element in 0..<1000 {
            if dice.once(in: 2) {
                model.append((line.append(element), element))
            } else if dice.once(in: 4) {
                #expect(line.popFirst()?.element == (model.isEmpty ? nil : model.removeFirst().element))
            } else if !model.isEmpty {
                // Those behind leave more often than the others.
                let index = dice.once(in: 2) ? model.count - 1 : model.count / 2
                let someone = model.remove(at: index)
                #expect(line.remove(someone.number) == someone.element)
            }
            #expect(line.count == model.count)
        }
        #expect(line.popAll().map(\.element) == model.map(\.element))
        #expect(line.isEmpty)
    }
}
