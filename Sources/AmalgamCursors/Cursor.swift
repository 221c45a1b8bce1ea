/// A sequence whose iteration may throw an error. Rows are read from SQLite one by one.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
/// while let row = try rows.next() {
///     let name: String = row["name"]
/// }
/// ```
///
/// Cursors have the operators of Swift's sequences, such as ``map(_:)`` and ``filter(_:)``. Operators that return a
/// cursor are lazy. A cursor can be iterated once, and only inside the database access (such as a call of `read` or
/// `write`) that created it.
///
/// After its end, a cursor returns nil again. After an error, it throws the same error again. The effect of an error
/// that a closure throws depends on the method that calls the closure:
/// - A lazy operator, such as ``map(_:)``: the cursor that the operator has returned ends.
/// - A method that iterates the cursor, such as ``forEach(_:)`` or ``contains(where:)``: the caller can continue to
///   iterate the cursor.
public protocol Cursor<Element>: AnyObject {
    /// The type of the elements.
    associatedtype Element

    /// Returns the next element, or nil at the end.
    ///
    /// - Throws: the error that ended the cursor; `SQLITE_MISUSE` if a cursor of database rows is used outside of a
    ///   database access.
    func next() throws -> Element?

    /// Calls a closure with each remaining element.
    ///
    /// ```swift
    /// try Player.fetchCursor(db).forEach { print($0.name) }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
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
    /// Whether no element remains. If an element remains, reading this property consumes it: `next()` then returns the
    /// element after it.
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public var isEmpty: Bool { get throws { try next() == nil } }

    /// Returns whether a remaining element satisfies the predicate. Elements after the first match aren't read.
    ///
    /// ```swift
    /// let hasWinner = try Player.fetchCursor(db).contains { $0.score > 10 }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        while let element = try next() {
            if try predicate(element) { return true }
        }
        return false
    }

    /// Returns the first remaining element that satisfies the predicate, or nil.
    ///
    /// ```swift
    /// let winner = try Player.fetchCursor(db).first { $0.score > 10 }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// Combines the remaining elements with an initial result.
    ///
    /// ```swift
    /// let total = try Player.fetchCursor(db).reduce(0) { $0 + $1.score }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public func reduce<Result>(
        _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        try forEach { result = try nextPartialResult(result, $0) }
        return result
    }

    /// Combines the remaining elements into a mutable result.
    ///
    /// ```swift
    /// let scores: [String: Int] = try Player.fetchCursor(db).reduce(into: [:]) { $0[$1.name] = $1.score }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public func reduce<Result>(
        into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        try forEach { try updateAccumulatingResult(&result, $0) }
        return result
    }

    /// Returns the smallest remaining element in the given order, or nil if there is none.
    ///
    /// ```swift
    /// let last = try Player.fetchCursor(db).min { $0.score < $1.score }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { if try areInIncreasingOrder($0, result) { result = $0 } }
        return result
    }

    /// Returns the largest remaining element in the given order, or nil if there is none.
    ///
    /// ```swift
    /// let best = try Player.fetchCursor(db).max { $0.score < $1.score }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { if try areInIncreasingOrder(result, $0) { result = $0 } }
        return result
    }

    /// Returns the last `maxLength` elements of the cursor, or all remaining elements if there are fewer.
    ///
    /// ```swift
    /// let latest = try Player.fetchCursor(db).suffix(3)
    /// ```
    ///
    /// - Parameter maxLength: the maximal number of elements. A negative number traps.
    /// - Throws: the errors of the cursor.
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

    /// Returns the remaining elements without the last `n` elements.
    ///
    /// - Parameter n: the number of elements to drop. A negative number traps.
    /// - Throws: the errors of the cursor.
    public func dropLast(_ n: Int) throws -> [Element] {
        guard n >= 0 else { fatalError("Can't drop a negative number of elements from a cursor") }
        var elements = try Array(self)
        elements.removeLast(Swift.min(n, elements.count))
        return elements
    }

    /// Returns the remaining elements without the last one.
    ///
    /// - Throws: the errors of the cursor.
    public func dropLast() throws -> [Element] { try dropLast(1) }
}

extension Cursor where Element: Equatable {
    /// Returns whether a remaining element is equal to the given one. Elements after the first match aren't read.
    ///
    /// ```swift
    /// let hasAnna = try String.fetchCursor(db, sql: "SELECT name FROM player").contains("Anna")
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public func contains(_ element: Element) throws -> Bool {
        try contains { $0 == element }
    }
}

extension Cursor where Element: Comparable {
    /// Returns the smallest remaining element, or nil if there is none.
    ///
    /// ```swift
    /// let lowest = try Int.fetchCursor(db, sql: "SELECT score FROM player").min()
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public func min() throws -> Element? { try min(by: <) }

    /// Returns the largest remaining element, or nil if there is none.
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public func max() throws -> Element? { try max(by: <) }
}

extension Cursor where Element: StringProtocol {
    /// Concatenates the remaining strings.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player").joined(separator: ", ")
    /// ```
    ///
    /// - Throws: the errors of the cursor.
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
