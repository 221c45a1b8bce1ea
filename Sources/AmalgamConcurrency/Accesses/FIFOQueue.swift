/// A first-in, first-out queue. Appending and removing an element take amortised constant time.
package struct FIFOQueue<Element> {
    private var elements: [Element?] = []
    /// The index of the first element. All elements before it were removed.
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
            // Each remaining element is moved at most once for each removed one.
            if start > elements.count / 2 { compact() }
        }
        return elements[start]
    }

    package mutating func popAll() -> [Element] {
        defer { self = FIFOQueue() }
        return elements[start...].compactMap(\.self)
    }

    private mutating func compact() {
        elements.removeFirst(start)
        start = 0
    }
}

/// A ``FIFOQueue`` whose elements can be removed from any position, in amortised constant time.
package struct CancellableQueue<Element> {
    /// The numbers of all elements in the queue, and of some that were removed.
    private var order = FIFOQueue<Int>()
    private var elements: [Int: Element] = [:]
    private var lastNumber = 0

    package var count: Int { elements.count }

    package var isEmpty: Bool { elements.isEmpty }

    package init() {}

    /// - Returns: the number that ``remove(_:)`` takes.
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

    /// - Returns: the removed element; nil if it was popped before.
    package mutating func remove(_ number: Int) -> Element? {
        defer { compact() }
        return elements.removeValue(forKey: number)
    }

    /// Drops the numbers of removed elements once they are the majority, so the cost per removed element is constant.
    private mutating func compact() {
        guard order.count > 2 * elements.count + 16 else { return }
        var remaining = FIFOQueue<Int>()
        while let number = order.popFirst() {
            if elements[number] != nil { remaining.append(number) }
        }
        order = remaining
    }
}

extension CancellableQueue: Sendable where Element: Sendable {}

extension FIFOQueue: Sendable where Element: Sendable {}
