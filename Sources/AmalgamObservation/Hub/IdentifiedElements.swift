/// Elements with identifiers, in the order in which they were added. Adding and removing one takes the same time whatever
/// their number.
struct IdentifiedElements<Element> {
    /// Nil for a removed element. At most half of the elements are nil.
    private var elements: [Element?] = []
    private var identifiers: [ObjectIdentifier] = []
    private var positions: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { positions.isEmpty }

    var all: [Element] { elements.compactMap(\.self) }

    /// Appends an element. It replaces the element with the same identifier, if there is one.
    mutating func append(_ element: Element, id: ObjectIdentifier) {
        remove(id)
        positions[id] = elements.count
        elements.append(element)
        identifiers.append(id)
    }

    mutating func remove(_ id: ObjectIdentifier) {
        guard let position = positions.removeValue(forKey: id) else { return }
        elements[position] = nil
        if elements.count > 2 * positions.count { removeGaps() }
    }

    private mutating func removeGaps() {
        let places = elements.indices.filter { elements[$0] != nil }
        identifiers = places.map { identifiers[$0] }
        elements = places.map { elements[$0] }
        for (position, id) in identifiers.enumerated() { positions[id] = position }
    }
}

extension IdentifiedElements: Sendable where Element: Sendable {}
