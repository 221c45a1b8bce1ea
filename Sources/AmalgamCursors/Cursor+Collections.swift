extension RangeReplaceableCollection {
    /// Creates a collection of the remaining elements of a cursor.
    ///
    /// ```swift
    /// let names = try Array(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try append(contentsOf: cursor)
    }

    /// Creates a collection of the remaining elements of a cursor, and first reserves memory for `minimumCapacity`
    /// elements.
    ///
    /// ```swift
    /// let names = try Array(String.fetchCursor(db, sql: "SELECT name FROM player"), minimumCapacity: 100)
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Appends the remaining elements of a cursor.
    ///
    /// ```swift
    /// var names = ["Anna"]
    /// try names.append(contentsOf: String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        try newElements.forEach { append($0) }
    }
}

extension Set {
    /// Creates a set of the remaining elements of a cursor.
    ///
    /// ```swift
    /// let names = try Set(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try formUnion(cursor)
    }

    /// Creates a set of the remaining elements of a cursor, and first reserves memory for `minimumCapacity` elements.
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// Returns the union of the set and the remaining elements of a cursor.
    ///
    /// ```swift
    /// let names = try Set(["Anna"]).union(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Inserts the remaining elements of a cursor.
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        try cursor.forEach { insert($0) }
    }

    /// Returns the elements of the set that are also in a cursor.
    ///
    /// ```swift
    /// let known = try Set(["Anna", "Bo"]).intersection(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result: Set<Element> = []
        try cursor.forEach { if contains($0) { result.insert($0) } }
        return result
    }

    /// Removes the elements of the set that aren't in a cursor.
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        self = try intersection(cursor)
    }
}

extension Dictionary {
    /// Creates a dictionary that groups the remaining elements of a cursor by a key.
    ///
    /// ```swift
    /// let players = try Dictionary(grouping: Player.fetchCursor(db)) { $0.name.prefix(1) }
    /// ```
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public init<C: Cursor>(grouping cursor: C, by keyForValue: (C.Element) throws -> Key) throws
    where Value == [C.Element] {
        self.init()
        try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
    }

    /// Creates a dictionary that groups the remaining elements of a cursor by a key, and first reserves memory for
    /// `minimumCapacity` keys.
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public init<C: Cursor>(
        minimumCapacity: Int, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
    }

    /// Creates a dictionary of the remaining key-value pairs of a cursor. The program traps if two pairs have the same
    /// key.
    ///
    /// ```swift
    /// let names = try Dictionary(uniqueKeysWithValues: Player.fetchCursor(db).map { ($0.id, $0.name) })
    /// ```
    ///
    /// - Throws: the errors of the cursor.
    @inlinable
    public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
    }

    /// Creates a dictionary of the remaining key-value pairs of a cursor, and first reserves memory for
    /// `minimumCapacity` pairs. The program traps if two pairs have the same key.
    ///
    /// - Throws: the errors of the cursor.
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
