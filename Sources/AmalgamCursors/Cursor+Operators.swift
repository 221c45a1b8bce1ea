extension Cursor {
    /// Returns a lazy cursor over the transformed elements.
    ///
    /// ```swift
    /// let names = try Player.fetchCursor(db).map { $0.name }
    /// while let name = try names.next() { print(name) }
    /// ```
    @inlinable
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        MapCursor(self, transform)
    }

    /// Returns a lazy cursor over the elements that satisfy the predicate.
    ///
    /// ```swift
    /// let winners = try Player.fetchCursor(db).filter { $0.score > 10 }
    /// ```
    @inlinable
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }

    /// Returns a lazy cursor over the transformed elements that aren't nil.
    ///
    /// ```swift
    /// let numbers = try String.fetchCursor(db, sql: "SELECT name FROM player").compactMap { Int($0) }
    /// ```
    @inlinable
    public func compactMap<ElementOfResult>(
        _ transform: @escaping (Element) throws -> ElementOfResult?
    ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
        map(transform).filter { $0 != nil }.map { $0! }
    }

    /// Returns a lazy cursor over the elements, each paired with its position, which starts at 0.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db).enumerated()
    /// while let (index, player) = try players.next() { print(index, player.name) }
    /// ```
    @inlinable
    public func enumerated() -> EnumeratedCursor<Self> { EnumeratedCursor(self) }

    /// Returns a lazy cursor that skips the first elements.
    ///
    /// ```swift
    /// let others = try Player.fetchCursor(db).dropFirst(3)
    /// ```
    ///
    /// - Parameter n: the number of elements to skip. A negative number traps.
    @inlinable
    public func dropFirst(_ n: Int) -> DropFirstCursor<Self> { DropFirstCursor(self, limit: n) }

    /// Returns a lazy cursor that skips the first element.
    @inlinable
    public func dropFirst() -> DropFirstCursor<Self> { dropFirst(1) }

    /// Returns a lazy cursor that skips elements while the predicate is satisfied.
    ///
    /// ```swift
    /// let players = try Player.order(\.score).fetchCursor(db).drop { $0.score < 10 }
    /// ```
    @inlinable
    public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// Returns a lazy cursor over the first elements.
    ///
    /// ```swift
    /// let top = try Array(Player.order(\.score.desc).fetchCursor(db).prefix(3))
    /// ```
    ///
    /// - Parameter maxLength: the maximal number of elements. A negative number traps.
    @inlinable
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> { PrefixCursor(self, maxLength: maxLength) }

    /// Returns a lazy cursor that ends at the first element that doesn't satisfy the predicate.
    ///
    /// ```swift
    /// let winners = try Player.order(\.score.desc).fetchCursor(db).prefix { $0.score > 10 }
    /// ```
    @inlinable
    public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
    }

    /// Returns a lazy cursor over the elements of the sequences returned by a closure.
    ///
    /// ```swift
    /// let words = try Player.fetchCursor(db).flatMap { $0.name.split(separator: " ") }
    /// ```
    @inlinable
    public func flatMap<SegmentOfResult: Sequence>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
        flatMap { try AnyCursor(transform($0)) }
    }

    /// Returns a lazy cursor over the elements of the cursors returned by a closure.
    ///
    /// ```swift
    /// let minimums = try Int.fetchCursor(db, sql: "SELECT minimum FROM team")
    /// let players = minimums.flatMap { try Player.filter(Column("score") >= $0).fetchCursor(db) }
    /// ```
    @inlinable
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
        FlattenCursor(map(transform))
    }
}

extension Cursor where Element: Cursor {
    /// Returns a lazy cursor over the elements of the cursors.
    @inlinable
    public func joined() -> FlattenCursor<Self> { FlattenCursor(self) }
}

extension Cursor where Element: Sequence {
    /// Returns a lazy cursor over the elements of the sequences.
    @inlinable
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
        flatMap { $0 }
    }
}

extension Sequence {
    /// Returns a lazy cursor over the elements of the cursors returned by a closure.
    ///
    /// ```swift
    /// let players = [10, 20].flatMap { try Player.filter(Column("score") == $0).fetchCursor(db) }
    /// ```
    @inlinable
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Iterator.Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<AnyCursor<Iterator.Element>, SegmentOfResult>> {
        AnyCursor(self).flatMap(transform)
    }
}

// MARK: - Cursors made by operators

/// A type-erased cursor.
///
/// ```swift
/// let names = AnyCursor(["Anna", "Bo"])
/// try names.next()   // "Anna"
/// ```
public final class AnyCursor<Element>: Cursor {
    /// Returns the next element; nil after the end, which releases the objects that the closure captures.
    @usableFromInline
    var element: (() throws -> Element?)?

    @usableFromInline
    var failure: (any Error)?

    /// Creates a cursor from a closure that returns nil at the end. The closure isn't called again after it has
    /// returned nil or thrown an error.
    ///
    /// ```swift
    /// var count = 0
    /// let numbers = AnyCursor<Int> {
    ///     count += 1
    ///     return count <= 3 ? count : nil
    /// }
    /// try Array(numbers)   // [1, 2, 3]
    /// ```
    @inlinable
    public init(_ next: @escaping () throws -> Element?) { element = next }

    /// Creates a cursor over the elements of the given cursor.
    @inlinable
    public init<C: Cursor>(_ base: C) where C.Element == Element { element = base.next }

    /// Creates a cursor over the elements of an iterator.
    @inlinable
    public convenience init(iterator: some IteratorProtocol<Element>) {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// Creates a cursor over the elements of a sequence.
    @inlinable
    public convenience init(_ sequence: some Sequence<Element>) {
        self.init(iterator: sequence.makeIterator())
    }

    @inlinable
    public func next() throws -> Element? {
        if let failure { throw failure }
        do {
            if let element = try element?() { return element }
        } catch {
            end(error)
            throw error
        }
        end(nil)
        return nil
    }

    @usableFromInline
    func end(_ error: (any Error)?) {
        failure = error
        element = nil
    }
}

/// The cursor returned by ``Cursor/map(_:)``.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let transform: (Base.Element) throws -> Element

    /// The error of the closure that has ended the cursor.
    @usableFromInline var failure: (any Error)?

    @usableFromInline
    init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
        self.base = base
        self.transform = transform
    }

    @inlinable
    public func next() throws -> Element? {
        if let failure { throw failure }
        guard let element = try base.next() else { return nil }
        return try result(element)
    }

    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        if let failure { throw failure }
        try base.forEach { try body(result($0)) }
    }

    @inlinable
    func result(_ element: Base.Element) throws -> Element {
        do {
            return try transform(element)
        } catch {
            failure = error
            throw error
        }
    }
}

/// The cursor returned by ``Cursor/filter(_:)``.
public final class FilterCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let isIncluded: (Base.Element) throws -> Bool

    /// The error of the closure that has ended the cursor.
    @usableFromInline var failure: (any Error)?

    @usableFromInline
    init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    @inlinable
    public func next() throws -> Base.Element? {
        if let failure { throw failure }
        while let element = try base.next() {
            if try includes(element) { return element }
        }
        return nil
    }

    @inlinable
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        if let failure { throw failure }
        try base.forEach { if try includes($0) { try body($0) } }
    }

    @inlinable
    func includes(_ element: Base.Element) throws -> Bool {
        do {
            return try isIncluded(element)
        } catch {
            failure = error
            throw error
        }
    }
}

/// The cursor returned by ``Cursor/enumerated()``.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var index = 0

    @usableFromInline
    init(_ base: Base) { self.base = base }

    @inlinable
    public func next() throws -> (Int, Base.Element)? {
        guard let element = try base.next() else { return nil }
        defer { index += 1 }
        return (index, element)
    }

    @inlinable
    public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
        try base.forEach {
            let position = index
            index += 1
            try body((position, $0))
        }
    }
}

/// The cursor returned by ``Cursor/dropFirst(_:)``.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var remaining: Int

    @usableFromInline
    init(_ base: Base, limit: Int) {
        guard limit >= 0 else { fatalError("Can't drop a negative number of elements from a cursor") }
        self.base = base
        remaining = limit
    }

    @inlinable
    public func next() throws -> Base.Element? {
        while remaining > 0 {
            if try base.next() == nil {
                remaining = 0
                return nil
            }
            remaining -= 1
        }
        return try base.next()
    }
}

/// The cursor returned by ``Cursor/drop(while:)``.
public final class DropWhileCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base

    /// The predicate; nil after it has returned false.
    @usableFromInline var predicate: ((Base.Element) throws -> Bool)?

    /// The error of the closure that has ended the cursor.
    @usableFromInline var failure: (any Error)?

    @usableFromInline
    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    @inlinable
    public func next() throws -> Base.Element? {
        if let failure { throw failure }
        while let element = try base.next() {
            guard let predicate else { return element }
            if try !drops(element, predicate) {
                self.predicate = nil
                return element
            }
        }
        return nil
    }

    @inlinable
    func drops(_ element: Base.Element, _ predicate: (Base.Element) throws -> Bool) throws -> Bool {
        do {
            return try predicate(element)
        } catch {
            failure = error
            throw error
        }
    }
}

/// The cursor returned by ``Cursor/prefix(_:)``.
public final class PrefixCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var remaining: Int

    @usableFromInline
    init(_ base: Base, maxLength: Int) {
        guard maxLength >= 0 else { fatalError("Can't take a prefix of negative length from a cursor") }
        self.base = base
        remaining = maxLength
    }

    @inlinable
    public func next() throws -> Base.Element? {
        if remaining == 0 { return nil }
        // An error doesn't count as an element: it is thrown again by the next call.
        guard let element = try base.next() else {
            remaining = 0
            return nil
        }
        remaining -= 1
        return element
    }
}

/// The cursor returned by ``Cursor/prefix(while:)``.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let predicate: (Base.Element) throws -> Bool
    @usableFromInline var hasEnded = false

    /// The error of the closure that has ended the cursor.
    @usableFromInline var failure: (any Error)?

    @usableFromInline
    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    @inlinable
    public func next() throws -> Base.Element? {
        if let failure { throw failure }
        if hasEnded { return nil }
        if let element = try base.next(), try includes(element) { return element }
        hasEnded = true
        return nil
    }

    @inlinable
    func includes(_ element: Base.Element) throws -> Bool {
        do {
            return try predicate(element)
        } catch {
            failure = error
            throw error
        }
    }
}

/// The cursor returned by `Cursor.joined()` and `Cursor.flatMap(_:)`.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var segment: Base.Element?
    @usableFromInline var hasEnded = false

    @usableFromInline
    init(_ base: Base) { self.base = base }

    @inlinable
    public func next() throws -> Base.Element.Element? {
        while !hasEnded {
            if let element = try segment?.next() { return element }
            segment = try base.next()
            hasEnded = segment == nil
        }
        return nil
    }
}
