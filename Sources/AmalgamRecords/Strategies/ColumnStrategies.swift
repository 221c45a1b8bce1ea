/// How the names of columns become coding keys, when a record is decoded.
///
/// ```swift
/// struct Player: Decodable, FetchableRecord {
///     static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
///     var playerID: Int64   // column player_id
/// }
/// ```
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Keys are the names of columns.
    case useDefaultKeys

    /// `player_name` is the key `playerName`.
    ///
    /// A key that no column is converted into is looked for as ``DatabaseColumnEncodingStrategy/convertToSnakeCase`` encodes
    /// it: `player_id` is the column of `playerId`, and that of `playerID`.
    case convertFromSnakeCase

    /// A closure that returns the key of a column.
    case custom(@Sendable (String) -> any CodingKey)

    /// The key of a column.
    func key(ofColumn column: String) -> String {
        switch self {
        case .useDefaultKeys: column
        case .convertFromSnakeCase: SnakeCase.decode(column)
        case .custom(let key): key(column).stringValue
        }
    }
}

/// How coding keys become names of columns, when a record is encoded.
///
/// ```swift
/// struct Player: Encodable, PersistableRecord {
///     static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
///     var playerName: String   // column player_name
/// }
/// ```
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// Keys are the names of columns.
    case useDefaultKeys

    /// `playerName` is stored in the column `player_name`, `recordID` in `record_id`.
    case convertToSnakeCase

    /// A closure that returns the name of the column of a key.
    case custom(@Sendable (any CodingKey) -> String)

    /// The column of a key.
    func column(ofKey key: some CodingKey) -> String {
        switch self {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: SnakeCase.encode(key.stringValue)
        case .custom(let column): column(key)
        }
    }
}

/// Names in two ways: `playerName`, and `player_name`.
enum SnakeCase {
    /// `recordID` becomes `record_id`, `myURLProperty` becomes `my_url_property`.
    static func encode(_ key: String) -> String {
        let characters = Array(key)
        var result = ""
        for (index, character) in characters.enumerated() {
            if index > 0, character.isUppercase, startsWord(characters, index) { result.append("_") }
            result += character.lowercased()
        }
        return result
    }

    /// Whether a capital begins a word: after anything else than a capital, and before a small letter.
    private static func startsWord(_ characters: [Character], _ index: Int) -> Bool {
        if characters[index - 1] == "_" { return false }
        if !characters[index - 1].isUppercase { return true }
        return index + 1 < characters.count && characters[index + 1].isLowercase
    }

    /// `record_id` becomes `recordId`. Underscores at both ends stay.
    static func decode(_ column: String) -> String {
        let head = column.prefix { $0 == "_" }
        if head.count == column.count { return column }
        let tail = column.reversed().prefix { $0 == "_" }
        let words = column.dropFirst(head.count).dropLast(tail.count).split(separator: "_")
        if words.count == 1 { return column }
        let capitalised = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return head + words[0].lowercased() + capitalised.joined() + String(tail)
    }
}
