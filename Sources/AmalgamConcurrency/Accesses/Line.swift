/// Those who wait, first come first served. However long the line is, to join it and to leave it takes the same time: on a
/// server, thousands of tasks may wait for a reader.
package struct Line<Element> {
    private var elements: [Element?] = []
    /// Where the first one is. Those before it have left.
    private var start = 0

    package var count: Int { elements.count - start }

    package var isEmpty: Bool { count == 0 }

    package init() {}

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        defer {
            elements[start] = nil
            start += 1
            // Those who stay are moved at most once for each one that has left.
            if start > elements.count / 2 { close() }
        }
        return elements[start]
    }

    package mutating func popAll() -> [Element] {
        defer { self = Line() }
        return elements[start...].compactMap(\.self)
    }

    private mutating func close() {
        elements.removeFirst(start)
        start = 0
    }
}

/// A ``Line`` that may be left before one's turn, which takes the same time as well.
package struct OpenLine<Element> {
    /// The numbers of those in line, and of some who have left.
    private var order = Line<Int>()
    private var elements: [Int: Element] = [:]
    private var lastNumber = 0

    package var count: Int { elements.count }

    package var isEmpty: Bool { elements.isEmpty }

    package init() {}

    /// - Returns: the number with which to leave.
    @discardableResult
    package mutating func append(_ element: Element) -> Int {
        lastNumber += 1
        order.append(lastNumber)
        elements[lastNumber] = element
        return lastNumber
    }

    package mutating func popFirst() -> (number: Int, element: Element)? {
        while let number = order.popFirst() {
            if let element = elements.removeValue(forKey: number) { return (number, element) }
        }
        return nil
    }

    package mutating func popAll() -> [(number: Int, element: Element)] {
        var all: [(number: Int, element: Element)] = []
        while let first = popFirst() { all.append(first) }
        return all
    }

    /// - Returns: the one who leaves; nil when its turn has come before.
    package mutating func remove(_ number: Int) -> Element? {
        defer { close() }
        return elements.removeValue(forKey: number)
    }

    /// Forgets those who have left, once they are the most: each costs one look, as if it had waited.
    private mutating func close() {
        guard order.count > 2 * elements.count + 16 else { return }
        var stayed = Line<Int>()
        while let number = order.popFirst() {
            if elements[number] != nil { stayed.append(number) }
        }
        order = stayed
    }
}

extension OpenLine: Sendable where Element: Sendable {}

extension Line: Sendable where Element: Sendable {}
