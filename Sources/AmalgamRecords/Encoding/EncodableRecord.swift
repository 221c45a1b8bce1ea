public import AmalgamCore
public import AmalgamQuery
public import Foundation

/// A type whose values can be encoded as the columns of a database row.
///
/// For `Encodable` types, the method ``encode(to:)`` is derived. It stores each property in the column of the same
/// name. A property whose type isn't a database value, such as an array, is stored as JSON. The other requirements of
/// the protocol change how the derived ``encode(to:)`` encodes columns.
///
/// ```swift
/// struct Player: Encodable, EncodableRecord {
///     var id: UUID           // stored as TEXT: 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'
///     var name: String
///     var medals: [String]   // stored as JSON: '["gold","silver"]'
///
///     static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
///         .uppercaseString
///     }
/// }
/// ```
public protocol EncodableRecord: _DatabaseKeyEncoder {
    /// Stores the values of the columns in a container.
    ///
    /// ```swift
    /// func encode(to container: inout PersistenceContainer) {
    ///     container["id"] = id
    ///     container["name"] = name
    /// }
    /// ```
    ///
    /// - Throws: an error if the record can't be encoded. Methods that write or delete it throw this error.
    func encode(to container: inout PersistenceContainer) throws

    /// The conversion of coding keys to column names in the derived ``encode(to:)``. By default, a column has the name
    /// of the coding key.
    ///
    /// ```swift
    /// struct Player: Encodable, EncodableRecord {
    ///     var teamId: Int64   // stored in the column "team_id"
    ///
    ///     static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
    /// }
    /// ```
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }

    /// The `userInfo` of the encoder in the derived ``encode(to:)``. It is empty by default.
    ///
    /// Declare the property with the type `[CodingUserInfoKey: Any]`. If its type differs, the compiler uses the
    /// default implementation instead.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the strategy that encodes `Data` in a column. The derived ``encode(to:)`` uses the strategy. Requests
    /// such as `filter(key:)` use the strategy for the values of primary and unique keys.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// Returns the strategy that encodes dates in a column. The derived ``encode(to:)`` uses the strategy. Requests
    /// such as `filter(key:)` use the strategy for the values of primary and unique keys.
    ///
    /// ```swift
    /// struct Note: Encodable, EncodableRecord {
    ///     var date: Date
    ///
    ///     static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    ///         .timeIntervalSince1970
    ///     }
    /// }
    /// ```
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// Returns the strategy that encodes UUIDs in a column. The derived ``encode(to:)`` uses the strategy. Requests
    /// such as `filter(key:)` use the strategy for the values of primary and unique keys.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// Returns the encoder of JSON columns in the derived ``encode(to:)``. By default, the encoder writes data in
    /// base64, writes dates in milliseconds since 1970, and sorts keys, so that equal values have equal JSON.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder
}

extension EncodableRecord {
    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }

    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        .deferredToData
    }

    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .deferredToDate
    }

    public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .deferredToUUID
    }

    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        DatabaseValue.databaseJSONEncoder()
    }

    public static func _databaseKey(
        _ value: any DatabaseValueConvertible, forColumn column: String
    ) -> DatabaseValue {
        strategicKey(value, forColumn: column)
    }

    /// Returns the value of a key in the format of the type's strategies.
    static func strategicKey(_ value: any DatabaseValueConvertible, forColumn column: String) -> DatabaseValue {
        do {
            switch value {
            case let date as Date: return databaseDateEncodingStrategy(for: column).encode(date)?.databaseValue ?? .null
            case let uuid as UUID: return databaseUUIDEncodingStrategy(for: column).encode(uuid).databaseValue
            case let data as Data:
                return try databaseDataEncodingStrategy(for: column).encode(data)?.databaseValue ?? .null
            default: return value.databaseValue
            }
        } catch {
            return DatabaseValue(unstorable: "\(error)")
        }
    }
}

extension EncodableRecord where Self: Encodable {
    /// Stores each property in its column, with the strategies that the record type declares, such as
    /// `databaseDateEncodingStrategy(for:)`.
    ///
    /// - Throws: errors of `encode(to:)`, and of the JSON encoder.
    public func encode(to container: inout PersistenceContainer) throws {
        try RecordEncoder.encode(self, to: &container)
    }
}

extension EncodableRecord {
    /// The columns of the record, with their values.
    ///
    /// ```swift
    /// let player = Player(id: 1, name: "Anna", score: 20)
    /// try player.databaseDictionary   // ["id": 1, "name": "Anna", "score": 20]
    /// ```
    ///
    /// - Throws: errors of ``encode(to:)``.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws {
            Dictionary(try encoded().map { ($0.0, $0.1) }, uniquingKeysWith: { _, last in last })
        }
    }

    /// Returns the encoded columns of the record.
    func encoded() throws -> PersistenceContainer {
        var container = PersistenceContainer()
        try encode(to: &container)
        container.encoder = nil
        container.writer = nil
        return container
    }
}
