extension ListDifference where Element: Equatable {
    /// Computes the difference of two lists of identifiable elements.
    ///
    /// ```swift
    /// let difference = ListDifference(from: oldPlayers, to: newPlayers)
    /// ```
    ///
    /// Cost: see ``init(from:to:by:isSame:)``.
    ///
    /// - Parameters:
    ///   - old: the list before the change, or nil if there was none. With nil, `isInitial` is true.
    ///   - new: the list after the change.
    public init(from old: [Element]?, to new: [Element]) where Element: Identifiable {
        self.init(from: old, to: new, by: \.id)
    }

    /// Computes the difference of two lists, by the identity of their elements.
    ///
    /// ```swift
    /// let difference = ListDifference(from: oldPlayers, to: newPlayers, by: \.id)
    /// ```
    ///
    /// Cost: see ``init(from:to:by:isSame:)``.
    ///
    /// - Parameters:
    ///   - old: the list before the change, or nil if there was none. With nil, `isInitial` is true.
    ///   - new: the list after the change.
    ///   - id: returns the identity of an element. If several elements of a list have the same identity, these elements
    ///     are matched in order: the first of the old list with the first of the new list, and so on.
    public init(from old: [Element]?, to new: [Element], by id: (Element) -> some Hashable) {
        self.init(from: old, to: new, by: id, isSame: ==)
    }
}

extension ListDifference {
    /// Computes the difference of two lists, by the identity of their elements and a closure that compares elements.
    ///
    /// ```swift
    /// // Ignores changes of the score.
    /// let difference = ListDifference(from: oldPlayers, to: newPlayers, by: \.id) { $0.name == $1.name }
    /// ```
    ///
    /// Cost: O(n log n) at most, for lists of n elements.
    ///
    /// - Parameters:
    ///   - old: the list before the change, or nil if there was none. With nil, `isInitial` is true.
    ///   - new: the list after the change.
    ///   - id: returns the identity of an element. If several elements of a list have the same identity, these elements
    ///     are matched in order: the first of the old list with the first of the new list, and so on.
    ///   - isSame: returns whether an element of the old list equals its counterpart in the new list.
    public init<ID: Hashable>(
        from old: [Element]?, to new: [Element], by id: (Element) -> ID, isSame: (Element, Element) -> Bool
    ) {
        let before = old ?? []
        var oldOffsets = Occurrences(before.map(id))
        var origins: [Int?] = []
        for element in new { origins.append(oldOffsets.next(id(element))) }

        let settled = Self.longestIncrease(origins)
        var (insertions, moves, updates): ([Placed], [Move], [Update]) = ([], [], [])
        for (to, element) in new.enumerated() {
            guard let from = origins[to] else {
                insertions.append(Placed(offset: to, element: element))
                continue
            }
            if !settled.contains(to) { moves.append(Move(from: from, to: to, element: element)) }
            if !isSame(before[from], element) {
                updates.append(Update(from: from, to: to, old: before[from], new: element))
            }
        }
        let kept = Set(origins.compactMap(\.self))
        elements = new
        isInitial = old == nil
        deletions = before.enumerated().filter { !kept.contains($0.offset) }
            .map { Placed(offset: $0.offset, element: $0.element) }
        self.insertions = insertions
        self.moves = moves
        self.updates = updates
    }

    /// Returns the new positions of the longest sequence of elements that have the same relative order in both lists.
    /// The other elements that are in both lists have moved.
    ///
    /// The algorithm is patience sorting. Of all sequences of n + 1 elements found so far, the algorithm needs only the
    /// one whose last element has the lowest old position. `tails[n]` is the new position of this last element.
    ///
    /// - Parameter origins: the old position of each element of the new list; nil for inserted elements.
    private static func longestIncrease(_ origins: [Int?]) -> Set<Int> {
        var tails: [Int] = []
        var previous = [Int?](repeating: nil, count: origins.count)
        for (position, origin) in origins.enumerated() {
            guard let origin else { continue }
            let length = tails.partitioningIndex { origins[$0]! >= origin }
            previous[position] = length > 0 ? tails[length - 1] : nil
            if length == tails.count { tails.append(position) } else { tails[length] = position }
        }
        var result: Set<Int> = []
        var position = tails.last
        while let current = position {
            result.insert(current)
            position = previous[current]
        }
        return result
    }
}

/// Maps each identity to the positions of its elements. Returns the lowest position first.
private struct Occurrences<ID: Hashable> {
    private var offsets: [ID: [Int]] = [:]

    init(_ ids: [ID]) {
        for (offset, id) in ids.enumerated().reversed() { offsets[id, default: []].append(offset) }
    }

    /// Removes and returns the lowest position of an identity.
    mutating func next(_ id: ID) -> Int? { offsets[id]?.popLast() }
}

extension [Int] {
    /// The first position whose element fulfils a condition. All later elements must fulfil the condition, too.
    fileprivate func partitioningIndex(_ isInSecondPart: (Int) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
