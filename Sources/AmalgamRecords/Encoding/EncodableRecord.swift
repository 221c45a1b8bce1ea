public import AmalgamCore
public import AmalgamQuery
public import Foundation

/// A type whose values are stored in columns.
///
/// `Encodable` types store their properties in columns of the same name. Those that have no database representation,
/// such as arrays, are stored as JSON. Columns that are encoded in another way than `Codable` does it have strategies: the
/// other requirements.
///
/// ```swift
/// struct Player: Encodable, EncodableRecord {
///     var id: Int64
///     var name: String
///     var medals: [String]
///
///     static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }
/// }
/// ```
public protocol EncodableRecord: _DatabaseKeyEncoder {
    /// Sets the columns of a container.
    func encode(to container: inout PersistenceContainer) throws

    /// How keys become columns, in the derived method. The names are the same, by default.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }

    /// What the derived method tells `encode(to:)` of the types it encodes. Nothing, by default.
    ///
    /// Declare it with exactly this type: the compiler would otherwise keep the default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// How the derived method, and keys in requests, store `Data` in a column.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// How the derived method, and keys in requests, store dates in a column.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// How the derived method, and keys in requests, store UUIDs in a column.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// How the derived method stores JSON in a column. By default, data are base64, dates milliseconds since 1970, and
    /// keys are sorted: equal values have equal texts.
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
    /// Sets a column for each property, by the strategies of the type.
    ///
    /// - throws: errors of `encode(to:)`, and of the JSON encoder.
    public func encode(to container: inout PersistenceContainer) throws {
        try RecordEncoder.encode(self, to: &container)
    }
}

extension EncodableRecord {
    /// The columns of the record, and their values.
    ///
    /// ```swift
    /// let player = Player(id: 1, name: "Anna")
    /// try player.databaseDictionary   // ["id": 1, "name": "Anna"]
    /// ```
    ///
    /// - throws: errors of ``encode(to:)``.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws {
            Dictionary(try encoded().map { ($0.0, $0.1) }, uniquingKeysWith: { _, last in last })
        }
    }

    /// The columns of the record.
    func encoded() throws -> PersistenceContainer {
        var container = PersistenceContainer()
        try encode(to: &container)
        container.encoder = nil
        return container
    }
}
