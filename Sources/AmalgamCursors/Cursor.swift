/// A sequence whose next element may be an error: rows as SQLite produces them, one by one.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
/// while let row = try rows.next() {
///     let name: String = row["name"]
/// }
/// ```
///
/// Cursors have the operators of the standard sequences. Operators that return a cursor are lazy. A cursor is
/// consumed once, and only inside the database access that made it.
///
/// A cursor ends for good: after nil it gives nil, and after an error it throws that error again. An error thrown by a
/// closure that was given to a lazy operator, such as ``map(_:)``, ends the cursor of that operator. Closures that are
/// called with what was read, as by ``forEach(_:)`` and ``contains(where:)``, are no part of the cursor: their errors
/// leave it where it is.
public protocol Cursor<Element>: AnyObject {
    /// The type of the elements.
    associatedtype Element

    /// The next element, or nil at the end.
    ///
    /// - throws: the error that ended the cursor; `SQLITE_MISUSE` for a cursor of database rows that is used outside of a
    ///   database access.
    func next() throws -> Element?

    /// Calls a closure on each remaining element.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }
}

// MARK: - Reductions

extension Cursor {
    /// Whether there is no remaining element. It consumes one.
    @inlinable
    public var isEmpty: Bool { get throws { try next() == nil } }

    /// Whether a remaining element satisfies the predicate.
    @inlinable
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        while let element = try next() {
            if try predicate(element) { return true }
        }
        return false
    }

    /// The first remaining element that satisfies the predicate.
    @inlinable
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// Combines the remaining elements with an initial result.
    @inlinable
    public func reduce<Result>(
        _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        try forEach { result = try nextPartialResult(result, $0) }
        return result
    }

    /// Combines the remaining elements into an initial result.
    @inlinable
    public func reduce<Result>(
        into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        try forEach { try updateAccumulatingResult(&result, $0) }
        return result
    }

    /// The smallest remaining element.
    @inlinable
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { if try areInIncreasingOrder($0, result) { result = $0 } }
        return result
    }

    /// The largest remaining element.
    @inlinable
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { if try areInIncreasingOrder(result, $0) { result = $0 } }
        return result
    }

    /// The last remaining elements.
    ///
    /// - Parameter maxLength: how many at most; a negative number is a programmer error and traps.
    public func suffix(_ maxLength: Int) throws -> [Element] {
        guard maxLength >= 0 else { fatalError("Can't take a suffix of negative length from a cursor") }
        if maxLength == 0 { return [] }
        var ring: [Element] = []
        var start = 0
        try forEach { element in
            if ring.count < maxLength { return ring.append(element) }
            ring[start] = element
            start = (start + 1) % maxLength
        }
        return Array(ring[start...] + ring[..<start])
    }

    /// The remaining elements without the last ones.
    ///
    /// - Parameter n: how many are left out; a negative number is a programmer error and traps.
    public func dropLast(_ n: Int) throws -> [Element] {
        guard n >= 0 else { fatalError("Can't drop a negative number of elements from a cursor") }
        var elements = try Array(self)
        elements.removeLast(Swift.min(n, elements.count))
        return elements
    }

    /// The remaining elements without the last one.
    public func dropLast() throws -> [Element] { try dropLast(1) }
}

extension Cursor where Element: Equatable {
    /// Whether an element is among the remaining ones.
    @inlinable
    public func contains(_ element: Element) throws -> Bool {
        try contains { $0 == element }
    }
}

extension Cursor where Element: Comparable {
    /// The smallest remaining element.
    @inlinable
    public func min() throws -> Element? { try min(by: <) }

    /// The largest remaining element.
    @inlinable
    public func max() throws -> Element? { try max(by: <) }
}

extension Cursor where Element: StringProtocol {
    /// The remaining strings, joined.
    @inlinable
    public func joined(separator: String = "") throws -> String {
        var result = ""
        guard let first = try next() else { return result }
        result.append(contentsOf: first)
        try forEach {
            result.append(separator)
            result.append(contentsOf: $0)
        }
        return result
    }
}
