/// How a list has become another one, by the identity of its elements.
///
/// ```swift
/// // Before: [Anna 10, Ben 20, Cleo 30]. After: [Cleo 30, Anna 15, Dan 5].
/// difference.deletions    // Ben, who was at 1
/// difference.insertions   // Dan, who is at 2
/// difference.moves        // Cleo, from 2 to 0
/// difference.updates      // Anna, who was at 0 and is at 1, with her old and her new value
/// ```
///
/// Positions are those that a table view wants in one batch: of deletions, and where moves and updates come from, in the list
/// before; of insertions, and where moves and updates arrive, in the list after. Moves are as few as possible. An
/// element that is moved and has changed is in both lists.
///
/// For views that apply one change after the other, and for web pages, there are ``steps``.
///
/// Observations notify differences (``ValueObservation/differences(by:)``, ``ListObserver``), and ``init(from:to:by:)`` makes one
/// from two lists.
public struct ListDifference<Element: Sendable>: Sendable {
    /// An element that is at one place.
    public struct Placed: Sendable {
        /// The position, counted from 0.
        public let offset: Int
        /// The element there.
        public let element: Element
    }

    /// An element that was at one place, and is at another one.
    public struct Move: Sendable {
        /// The position in the list before.
        public let from: Int
        /// The position in the list after.
        public let to: Int
        /// The element, as it is after.
        public let element: Element
    }

    /// An element that has changed.
    public struct Update: Sendable {
        /// The position in the list before.
        public let from: Int
        /// The position in the list after.
        public let to: Int
        /// The element before.
        public let old: Element
        /// The element after.
        public let new: Element
    }

    /// The list after.
    public let elements: [Element]

    /// Whether this is the first list of an observation: all elements are insertions.
    public let isInitial: Bool

    /// Elements that are gone, in the order of the list before.
    public let deletions: [Placed]

    /// Elements that are new, in the order of the list after.
    public let insertions: [Placed]

    /// Elements that have another place among those that stay, in the order of the list after.
    public let moves: [Move]

    /// Elements that have changed, in the order of the list after.
    public let updates: [Update]

    /// Whether both lists are the same.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }
}

extension ListDifference.Placed: Equatable where Element: Equatable {}
extension ListDifference.Move: Equatable where Element: Equatable {}
extension ListDifference.Update: Equatable where Element: Equatable {}
extension ListDifference: Equatable where Element: Equatable {}

// MARK: - Steps

extension ListDifference {
    /// One change, which is applied to what the changes before it have left.
    public enum Step: Sendable {
        /// Remove the element at an offset.
        case remove(at: Int)
        /// Insert an element, so that it is at an offset.
        case insert(Element, at: Int)
        /// Put another element in the place of the one at an offset.
        case update(Element, at: Int)
    }

    /// The changes, one after the other: a move is a removal and an insertion.
    ///
    /// ```swift
    /// for step in difference.steps {
    ///     switch step {
    ///     case .remove(let offset): list.children[offset].remove()
    ///     case .insert(let player, let offset): list.insert(makeItem(player), at: offset)
    ///     case .update(let player, let offset): list.children[offset].show(player)
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

    /// Makes a list what it is after.
    ///
    /// - Parameter list: the list as it was before. It is replaced when it has another number of elements.
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
