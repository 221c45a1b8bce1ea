/// The difference of two lists, by the identity of their elements.
///
/// ```swift
/// // Before: [Anna 10, Ben 20, Cleo 30]. After: [Cleo 30, Anna 15, Dan 5].
/// print(difference.deletions)    // Ben, who was at 1
/// print(difference.insertions)   // Dan, who is at 2
/// print(difference.moves)        // Cleo, from 2 to 0
/// print(difference.updates)      // Anna, who was at 0 and is at 1, with her old and her new value
/// ```
///
/// The positions can be passed to a single batch update of a table view. Deletions, and the origins of moves and
/// updates, are positions in the list before the change. Insertions, and the destinations of moves and updates, are
/// positions in the list after the change. The number of moves is minimal. An element that was moved and has changed is
/// in both `moves` and `updates`.
///
/// For views that apply one change at a time, and for web pages, use ``steps``.
///
/// Observations deliver differences (``ValueObservation/differences(by:)``, ``ListObserver``), and
/// ``init(from:to:by:)`` computes the difference of two lists.
public struct ListDifference<Element: Sendable>: Sendable {
    /// An element and its position.
    public struct Placed: Sendable {
        /// The position, counted from 0.
        public let offset: Int
        /// The element at this position.
        public let element: Element
    }

    /// An element that was moved.
    public struct Move: Sendable {
        /// The position in the list before the change.
        public let from: Int
        /// The position in the list after the change.
        public let to: Int
        /// The element in the list after the change.
        public let element: Element
    }

    /// An element that has changed.
    public struct Update: Sendable {
        /// The position in the list before the change.
        public let from: Int
        /// The position in the list after the change.
        public let to: Int
        /// The element before the change.
        public let old: Element
        /// The element after the change.
        public let new: Element
    }

    /// The list after the change.
    public let elements: [Element]

    /// Whether this is the first difference of an observation. All elements are insertions.
    public let isInitial: Bool

    /// The deleted elements, in the order of the list before the change.
    public let deletions: [Placed]

    /// The inserted elements, in the order of the list after the change.
    public let insertions: [Placed]

    /// The moved elements, in the order of the list after the change. An element whose position changes only because
    /// other elements were inserted, deleted or moved isn't a moved element.
    public let moves: [Move]

    /// The changed elements, in the order of the list after the change.
    public let updates: [Update]

    /// Whether the two lists are equal.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }
}

extension ListDifference.Placed: Equatable where Element: Equatable {}
extension ListDifference.Move: Equatable where Element: Equatable {}
extension ListDifference.Update: Equatable where Element: Equatable {}
extension ListDifference: Equatable where Element: Equatable {}

// MARK: - Steps

extension ListDifference {
    /// One change to a list. Its offset is a position in the list that results from the steps before it.
    public enum Step: Sendable {
        /// Removes the element at an offset.
        case remove(at: Int)
        /// Inserts an element at an offset.
        case insert(Element, at: Int)
        /// Replaces the element at an offset.
        case update(Element, at: Int)
    }

    /// The changes as a sequence of steps, first removals, then insertions, then updates. An element that has moved is
    /// removed, and inserted again.
    ///
    /// ```swift
    /// var names = oldPlayers.map(\.name)
    /// for step in difference.steps {
    ///     switch step {
    ///     case .remove(let offset): names.remove(at: offset)
    ///     case .insert(let player, let offset): names.insert(player.name, at: offset)
    ///     case .update(let player, let offset): names[offset] = player.name
    ///     }
    /// }
    /// ```
    public var steps: [Step] {
        let removed = (deletions.map(\.offset) + moves.map(\.from)).sorted(by: >)
        let inserted = (insertions.map { ($0.offset, $0.element) } + moves.map { ($0.to, $0.element) })
            .sorted { $0.0 < $1.0 }
        let moved = Set(moves.map(\.to))
        return removed.map { .remove(at: $0) } + inserted.map { .insert($0.1, at: $0.0) }
            + updates.filter { !moved.contains($0.to) }.map { .update($0.new, at: $0.to) }
    }

    /// Applies the difference to the list before the change, which becomes equal to ``elements``.
    ///
    /// ```swift
    /// difference.apply(to: &players)
    /// ```
    ///
    /// - Parameter list: the list before the change. If `list` has a different number of elements than the list before
    ///   the change, the method assigns ``elements`` to `list`.
    public func apply(to list: inout [Element]) {
        guard list.count == elements.count - insertions.count + deletions.count else { return list = elements }
        for step in steps {
            switch step {
            case .remove(let offset): list.remove(at: offset)
            case .insert(let element, let offset): list.insert(element, at: offset)
            case .update(let element, let offset): list[offset] = element
            }
        }
    }
}

extension ListDifference.Step: Equatable where Element: Equatable {}
