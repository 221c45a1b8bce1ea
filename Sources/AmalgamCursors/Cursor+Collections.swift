extension RangeReplaceableCollection {
    /// The remaining elements of a cursor.
    ///
    /// ```swift
    /// let names = try Array(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try append(contentsOf: cursor)
    }

    /// The remaining elements of a cursor, which are expected to be this many.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Adds the remaining elements of a cursor.
    @inlinable
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        try newElements.forEach { append($0) }
    }
}

extension Set {
    /// The remaining elements of a cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try formUnion(cursor)
    }

    /// The remaining elements of a cursor, which are expected to be this many.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// The elements of the set and of a cursor.
    @inlinable
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Adds the remaining elements of a cursor.
    @inlinable
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        try cursor.forEach { insert($0) }
    }

    /// The elements that the set and a cursor share.
    @inlinable
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result: Set<Element> = []
        try cursor.forEach { if contains($0) { result.insert($0) } }
        return result
    }

    /// Keeps the elements that are also in a cursor.
    @inlinable
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        self = try intersection(cursor)
    }
}

extension Dictionary {
    /// The remaining elements of a cursor, by a key computed from each.
    @inlinable
    public init<C: Cursor>(grouping cursor: C, by keyForValue: (C.Element) throws -> Key) throws
    where Value == [C.Element] {
        self.init()
        try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
    }

    /// The remaining elements of a cursor, by a key computed from each; this many keys are expected.
    @inlinable
    public init<C: Cursor>(
        minimumCapacity: Int, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
    }

    /// The pairs of a cursor. A repeated key is a programmer error and traps.
    @inlinable
    public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
    }

    /// The pairs of a cursor, which are expected to be this many. A repeated key is a programmer error and traps.
    @inlinable
    public init(minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        self.init(minimumCapacity: minimumCapacity)
        while let (key, value) = try keysAndValues.next() {
            if updateValue(value, forKey: key) != nil {
                fatalError("Duplicate values for key: '\(String(describing: key))'")
            }
        }
    }
}
