public import Foundation

extension ListObserver {
    /// A section of the list, for table views. A list has one section, which contains all elements.
    public struct Section: Sendable {
        /// The elements of the section.
        public let elements: [Element]

        /// The number of elements.
        public var numberOfRecords: Int { elements.count }
    }

    /// The number of elements in the list that was delivered last; 0 before the first one.
    ///
    /// ```swift
    /// print(observer.count, "players")
    /// ```
    public var count: Int { elements?.count ?? 0 }

    /// The element at a position of the list that was delivered last; nil if the list has no such position.
    ///
    /// ```swift
    /// let first = observer[0]
    /// ```
    public subscript(position: Int) -> Element? {
        guard let elements, elements.indices.contains(position) else { return nil }
        return elements[position]
    }

    /// The sections of the list that was delivered last: a single one, which may be empty.
    public var sections: [Section] { [Section(elements: elements ?? [])] }

    /// Returns the element for a row of a table view; nil if the list has no such row.
    ///
    /// ```swift
    /// let player = observer.record(at: IndexPath(row: 2, section: 0))
    /// ```
    ///
    /// - Parameter indexPath: a path of two indexes, the section 0 and the position.
    public func record(at indexPath: IndexPath) -> Element? {
        guard indexPath.count == 2, indexPath[0] == 0 else { return nil }
        return self[indexPath[1]]
    }
}
