import Synchronization

/// The default table names, derived from the names of record types.
enum DefaultTableNames {
    /// A cache: reflecting on the name of a type takes much longer than writing a small request.
    private static let names = Mutex<[ObjectIdentifier: String]>([:])

    static func name(of type: any Any.Type) -> String {
        names.withLock { names in
            let id = ObjectIdentifier(type)
            if let name = names[id] { return name }
            let name = tableName(fromType: String(describing: type))
            names[id] = name
            return name
        }
    }

    /// Returns the first word of a type's name, with its leading capitals in lower case: `player` for `Player<Int>`.
    static func tableName(fromType typeName: String) -> String {
        let word = typeName.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let capitals = word.prefix(while: \.isUppercase)
        if capitals.isEmpty { return String(word) }
        let rest = word.dropFirst(capitals.count)
        // In HTTPRequest, the last capital begins the next word.
        let isNextWord = capitals.count > 1 && rest.first?.isLowercase == true
        let count = isNextWord ? capitals.count - 1 : capitals.count
        return word.prefix(count).lowercased() + word.dropFirst(count)
    }
}
