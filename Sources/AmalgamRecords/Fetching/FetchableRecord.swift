public import AmalgamCore
public import Foundation

/// A type that can be created from a database row.
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
/// For `Decodable` types, the initializer `init(row:)` is derived. It reads each property from the column of the same
/// name. A property whose type isn't a database value is read from the columns of an included association, or from a
/// JSON column:
///
/// ```swift
/// struct Player: Decodable, FetchableRecord {
///     var id: Int64
///     var name: String
///     var medals: [String]   // '["gold","silver"]'
/// }
/// ```
///
/// The other requirements of the protocol change how the derived `init(row:)` decodes columns.
public protocol FetchableRecord {
    /// Creates a record from a row.
    ///
    /// A cursor creates all records from the same row. If the initializer stores the row in the record, the cursor
    /// turns the stored row into a copy, and creates the next records from a new row.
    ///
    /// - Throws: an error if the row can't be decoded. The error ends the fetch.
    init(row: Row) throws

    /// The conversion of column names to coding keys in the derived `init(row:)`. By default, a coding key has the name
    /// of the column.
    ///
    /// ```swift
    /// struct Player: Decodable, FetchableRecord {
    ///     var teamId: Int64   // read from the column "team_id"
    ///
    ///     static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
    /// }
    /// ```
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }

    /// The `userInfo` of the decoder in the derived `init(row:)`. It is empty by default.
    ///
    /// Declare the property with the type `[CodingUserInfoKey: Any]`. If its type differs, the compiler uses the
    /// default implementation instead.
    ///
    /// ```swift
    /// struct Player: Decodable, FetchableRecord {
    ///     var name: String
    ///
    ///     static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] {
    ///         [CodingUserInfoKey(rawValue: "locale")!: "fr"]
    ///     }
    /// }
    /// ```
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the strategy that decodes `Data` from a column in the derived `init(row:)`.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// Returns the strategy that decodes dates from a column in the derived `init(row:)`.
    ///
    /// ```swift
    /// struct Note: Decodable, FetchableRecord {
    ///     var date: Date
    ///
    ///     static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    ///         .timeIntervalSince1970
    ///     }
    /// }
    /// ```
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// Returns the decoder of JSON columns in the derived `init(row:)`. By default, the decoder expects data in base64,
    /// and dates in milliseconds since 1970.
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
    /// Creates a record from a row. Decodes each property from the column of the same name, with the strategies that
    /// the record type declares, such as `databaseDateDecodingStrategy(for:)`.
    ///
    /// - Throws: a ``RowDecodingError`` if a column is missing or can't be converted; errors of `init(from:)`, and of
    ///   the JSON decoder.
    public init(row: Row) throws {
        self = try RecordDecoder.decode(Self.self, from: row)
    }
}

/// A decoder that decodes records as the derived `init(row:)` does, for use in custom initializers.
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
    /// Creates a decoder.
    public init() {}

    /// Decodes a record with the strategies that its type declares, such as `databaseDateDecodingStrategy(for:)`.
    ///
    /// - Throws: a ``RowDecodingError`` if a column is missing or can't be converted; errors of `init(from:)`, and of
    ///   the JSON decoder.
    public func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
        try RecordDecoder.decode(type, from: row)
    }
}
