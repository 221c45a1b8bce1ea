extension ListDifference where Element: Equatable {
    /// Compares two lists of identifiable elements.
    ///
    /// ```swift
    /// let difference = ListDifference(from: oldPlayers, to: newPlayers)
    /// ```
    ///
    /// Cost: see ``init(from:to:by:isSame:)``.
    ///
    /// - Parameters:
    ///   - old: the list before; nil when there was none, which makes the difference an initial one.
    ///   - new: the list after.
    public init(from old: [Element]?, to new: [Element]) where Element: Identifiable {
        self.init(from: old, to: new, by: \.id)
    }

    /// Compares two lists, by the identity of their elements.
    ///
    /// ```swift
    /// let difference = ListDifference(from: oldPlayers, to: newPlayers, by: \.id)
    /// ```
    ///
    /// Cost: see ``init(from:to:by:isSame:)``.
    ///
    /// - Parameters:
    ///   - old: the list before; nil when there was none, which makes the difference an initial one.
    ///   - new: the list after.
    ///   - id: the identity of an element. Elements of the same identity are told apart by their order.
    public init(from old: [Element]?, to new: [Element], by id: (Element) -> some Hashable) {
        self.init(from: old, to: new, by: id, isSame: ==)
    }
}

extension ListDifference {
    /// Compares two lists, by the identity of their elements, and by a closure that compares elements.
    ///
    /// ```swift
    /// // A player that has another score only is not an update.
    /// let difference = ListDifference(from: oldPlayers, to: newPlayers, by: \.id) { $0.name == $1.name }
    /// ```
    ///
    /// Cost: it takes a time that grows with the length n of the lists as n · log n at most.
    ///
    /// - Parameters:
    ///   - old: the list before; nil when there was none, which makes the difference an initial one.
    ///   - new: the list after.
    ///   - id: the identity of an element. Elements of the same identity are told apart by their order.
    ///   - isSame: whether an element has not changed.
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

    /// The positions of the longest series of elements that are in the same order before and after: all others move.
    ///
    /// By patience sorting: `tails[n]` is where the best series of n + 1 elements ends.
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

/// Where elements are, by identity: the first of equal ones comes first.
private struct Occurrences<ID: Hashable> {
    private var offsets: [ID: [Int]] = [:]

    init(_ ids: [ID]) {
        for (offset, id) in ids.enumerated().reversed() { offsets[id, default: []].append(offset) }
    }

    /// The next one, which is not given again.
    mutating func next(_ id: ID) -> Int? { offsets[id]?.popLast() }
}

extension [Int] {
    /// The first position whose element fulfils a condition that all later ones fulfil as well.
    fileprivate func partitioningIndex(_ isInSecondPart: (Int) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
