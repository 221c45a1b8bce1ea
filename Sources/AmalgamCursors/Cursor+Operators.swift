extension Cursor {
    /// The results of a closure on the remaining elements.
    @inlinable
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        MapCursor(self, transform)
    }

    /// The remaining elements that satisfy the predicate.
    @inlinable
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }

    /// The results of a closure on the remaining elements, without those that are nil.
    @inlinable
    public func compactMap<ElementOfResult>(
        _ transform: @escaping (Element) throws -> ElementOfResult?
    ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
        map(transform).filter { $0 != nil }.map { $0! }
    }

    /// Pairs of a position, counted from 0, and a remaining element.
    @inlinable
    public func enumerated() -> EnumeratedCursor<Self> { EnumeratedCursor(self) }

    /// The remaining elements without the first ones.
    ///
    /// - Parameter n: how many are left out; a negative number is a programmer error and traps.
    @inlinable
    public func dropFirst(_ n: Int) -> DropFirstCursor<Self> { DropFirstCursor(self, limit: n) }

    /// The remaining elements without the first one.
    @inlinable
    public func dropFirst() -> DropFirstCursor<Self> { dropFirst(1) }

    /// The remaining elements from the first one that does not satisfy the predicate.
    @inlinable
    public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// The first remaining elements.
    ///
    /// - Parameter maxLength: how many at most.
    @inlinable
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> { PrefixCursor(self, maxLength: maxLength) }

    /// The remaining elements up to the first one that does not satisfy the predicate.
    @inlinable
    public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
    }

    /// The elements of the sequences that a closure makes of the remaining elements.
    @inlinable
    public func flatMap<SegmentOfResult: Sequence>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
        flatMap { try AnyCursor(transform($0)) }
    }

    /// The elements of the cursors that a closure makes of the remaining elements.
    @inlinable
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
        FlattenCursor(map(transform))
    }
}

extension Cursor where Element: Cursor {
    /// The elements of the remaining cursors.
    @inlinable
    public func joined() -> FlattenCursor<Self> { FlattenCursor(self) }
}

extension Cursor where Element: Sequence {
    /// The elements of the remaining sequences.
    @inlinable
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
        flatMap { $0 }
    }
}

extension Sequence {
    /// The elements of the cursors that a closure makes of the elements.
    @inlinable
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Iterator.Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<AnyCursor<Iterator.Element>, SegmentOfResult>> {
        AnyCursor(self).flatMap(transform)
    }
}

// MARK: - Cursors made by operators

/// A type-erased cursor.
public final class AnyCursor<Element>: Cursor {
    /// nil at the end. What the closure holds is let go then.
    @usableFromInline
    var element: (() throws -> Element?)?

    @usableFromInline
    var failure: (any Error)?

    /// A cursor made of a closure that returns nil at the end. It is not called again after it has returned nil or
    /// thrown an error.
    @inlinable
    public init(_ next: @escaping () throws -> Element?) { element = next }

    /// A cursor over the elements of another one.
    @inlinable
    public init<C: Cursor>(_ base: C) where C.Element == Element { element = base.next }

    /// A cursor over the elements of an iterator.
    @inlinable
    public convenience init(iterator: some IteratorProtocol<Element>) {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// A cursor over the elements of a sequence.
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

/// The cursor of ``Cursor/map(_:)``.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let transform: (Base.Element) throws -> Element

    /// The error of the closure, which ended the cursor.
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

/// The cursor of ``Cursor/filter(_:)``.
public final class FilterCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let isIncluded: (Base.Element) throws -> Bool

    /// The error of the closure, which ended the cursor.
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

/// The cursor of ``Cursor/enumerated()``.
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

/// The cursor of ``Cursor/dropFirst(_:)``.
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

/// The cursor of ``Cursor/drop(while:)``.
public final class DropWhileCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base

    /// nil once it has said no.
    @usableFromInline var predicate: ((Base.Element) throws -> Bool)?

    /// The error of the closure, which ended the cursor.
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

/// The cursor of ``Cursor/prefix(_:)``.
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
        // An error is no element: it comes again.
        guard let element = try base.next() else {
            remaining = 0
            return nil
        }
        remaining -= 1
        return element
    }
}

/// The cursor of ``Cursor/prefix(while:)``.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline let predicate: (Base.Element) throws -> Bool
    @usableFromInline var hasEnded = false

    /// The error of the closure, which ended the cursor.
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

/// The cursor of ``Cursor/joined()`` and ``Cursor/flatMap(_:)``.
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
