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

extension Line: Sendable where Element: Sendable {}
