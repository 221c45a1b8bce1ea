/// The conversion of column names to coding keys, for decoding a record.
///
/// ```swift
/// struct Player: Decodable, FetchableRecord {
///     static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
///     var playerID: Int64   // column player_id
/// }
/// ```
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Keys are equal to column names.
    case useDefaultKeys

    /// Columns in snake case have keys in camel case: the column `player_name` has the key `playerName`.
    ///
    /// If no column's converted name is equal to the key, the key is converted to snake case instead, as by
    /// ``DatabaseColumnEncodingStrategy/convertToSnakeCase``. Therefore, the keys `playerId` and `playerID` both find
    /// the column `player_id`.
    case convertFromSnakeCase

    /// A closure returns the key of a column.
    case custom(@Sendable (String) -> any CodingKey)

    /// Returns the key of a column.
    func key(ofColumn column: String) -> String {
        switch self {
        case .useDefaultKeys: column
        case .convertFromSnakeCase: SnakeCase.decode(column)
        case .custom(let key): key(column).stringValue
        }
    }
}

/// The conversion of coding keys to column names, for encoding a record.
///
/// ```swift
/// struct Player: Encodable, PersistableRecord {
///     static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
///     var playerName: String   // column player_name
/// }
/// ```
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// Column names are equal to keys.
    case useDefaultKeys

    /// Keys in camel case have columns in snake case: `playerName` is stored in the column `player_name`, and
    /// `recordID` in `record_id`.
    case convertToSnakeCase

    /// A closure returns the column of a key.
    case custom(@Sendable (any CodingKey) -> String)

    /// Returns the column of a key.
    func column(ofKey key: some CodingKey) -> String {
        switch self {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: SnakeCase.encode(key.stringValue)
        case .custom(let column): column(key)
        }
    }
}

/// Conversions between camel case (`playerName`) and snake case (`player_name`).
enum SnakeCase {
    /// Converts to snake case: `recordID` becomes `record_id`, and `myURLProperty` becomes `my_url_property`.
    static func encode(_ key: String) -> String {
        let characters = Array(key)
        var result = ""
        for (index, character) in characters.enumerated() {
            if index > 0, character.isUppercase, startsWord(characters, index) { result.append("_") }
            result += character.lowercased()
        }
        return result
    }

    /// Whether the uppercase letter at an index begins a word, and needs an underscore before it: the previous
    /// character isn't uppercase, or the next one is a lowercase letter. After an existing underscore, the result is
    /// false.
    private static func startsWord(_ characters: [Character], _ index: Int) -> Bool {
        if characters[index - 1] == "_" { return false }
        if !characters[index - 1].isUppercase { return true }
        return index + 1 < characters.count && characters[index + 1].isLowercase
    }

    /// Converts to camel case: `record_id` becomes `recordId`. Leading and trailing underscores stay.
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
