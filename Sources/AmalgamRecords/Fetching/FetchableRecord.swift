public import AmalgamCore
public import Foundation

/// A type that is made from a row.
///
/// ```swift
/// struct Player: FetchableRecord {
///     var id: Int64
///     var name: String
///
///     init(row: Row) {
///         id = row["id"]
///         name = row["name"]
///     }
/// }
///
/// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
/// ```
///
/// `Decodable` types have the initializer for free. Their properties are read from the columns of the same name; those
/// that have no database representation are read from the parts of the row that associations have made, or from JSON:
///
/// ```swift
/// struct Player: Decodable, FetchableRecord {
///     var id: Int64
///     var name: String
///     var medals: [String]   // '["gold","silver"]'
/// }
/// ```
///
/// Columns that are decoded in another way than `Codable` does it have strategies: the other requirements.
public protocol FetchableRecord {
    /// Makes a record from a row.
    ///
    /// The row moves on when the record is made: keep a ``Row/copy()`` of it, if anything.
    init(row: Row) throws

    /// How columns become keys, in the derived initializer. The names are the same, by default.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }

    /// What the derived initializer tells `init(from:)` of the types it decodes. Nothing, by default.
    ///
    /// Declare it with exactly this type: the compiler would otherwise keep the default.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// How the derived initializer reads `Data` from a column.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// How the derived initializer reads dates from a column.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// How the derived initializer reads JSON from a column. By default, data are base64, and dates milliseconds since
    /// 1970.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder
}

extension FetchableRecord {
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }

    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        .deferredToData
    }

    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .deferredToDate
    }

    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        DatabaseValue.databaseJSONDecoder()
    }
}

extension FetchableRecord where Self: Decodable {
    /// Decodes the properties from columns of the same name, by the strategies of the type.
    ///
    /// - throws: a ``RowDecodingError`` for a column that is missing or does not convert; errors of `init(from:)`, and of
    ///   the JSON decoder.
    public init(row: Row) throws {
        self = try RecordDecoder.decode(Self.self, from: row)
    }
}

/// Decodes a record as the derived `init(row:)` does, for an initializer that does something more.
///
/// ```swift
/// struct Player: Codable, FetchableRecord {
///     var id: Int64
///     var name: String
///
///     init(row: Row) throws {
///         self = try FetchableRecordDecoder().decode(Player.self, from: row)
///         name = name.uppercased()
///     }
/// }
/// ```
public class FetchableRecordDecoder {
    /// A decoder.
    public init() {}

    /// Decodes a record by the strategies of its type.
    ///
    /// - throws: a ``RowDecodingError`` for a column that is missing or does not convert; errors of `init(from:)`, and of
    ///   the JSON decoder.
    public func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
        try RecordDecoder.decode(type, from: row)
    }
}
