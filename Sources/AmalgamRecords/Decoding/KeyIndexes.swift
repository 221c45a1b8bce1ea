/// The indexes of a type's properties, by the names of their coding keys.
///
/// `Codable` types request their properties in the same order for each row. Therefore, `index(of:)` first compares the
/// requested name with the expected one: the name after the previously requested name. If they differ, `index(of:)`
/// looks up the requested name in the dictionary.
struct KeyIndexes {
    private var names: ContiguousArray<String> = []
    private var indexesByName: [String: Int] = [:]

    /// The index of the key that is expected next.
    private var expected = 0

    /// Returns the index of a name; nil if the name wasn't added.
    @inline(__always)
    mutating func index(of name: String) -> Int? {
        if expected < names.count, names[expected] == name { return found(expected) }
        return indexesByName[name].map { found($0) }
    }

    /// Adds a name, and returns its index.
    mutating func add(_ name: String) -> Int {
        let index = names.count
        names.append(name)
        indexesByName[name] = index
        return found(index)
    }

    @inline(__always)
    private mutating func found(_ index: Int) -> Int {
        expected = index + 1 == names.count ? 0 : index + 1
        return index
    }
}
