import AmalgamCore
import Foundation

/// Converts the values of one property to the values that are bound to statements.
///
/// The conversion depends on the type and the column of the property. It is chosen once, and then used for all records.
final class ColumnWriter<Value> {
    /// Returns the value to bind.
    let write: (Value) throws -> StoredValue

    init(_ write: @escaping (Value) throws -> StoredValue) {
        self.write = write
    }
}

extension ColumnWriter where Value: Encodable {
    /// Returns the writer of a column.
    ///
    /// - Parameter key: the coding key of the property.
    static func make(
        _ column: String, _ key: any CodingKey, _ recordType: any EncodableRecord.Type
    ) -> ColumnWriter {
        let writer: AnyObject =
            ofStrategy(column, recordType)
            ?? (Value.self as? any DatabaseValueConvertible.Type).map { ofConvertible($0) }
            ?? ofJSON(column, key, recordType)
        return writer as! ColumnWriter
    }

    /// Writers of dates, data and UUIDs, which have strategies.
    private static func ofStrategy(_ column: String, _ recordType: any EncodableRecord.Type) -> AnyObject? {
        let type: Any.Type = Value.self
        if type == Date.self || type == Date?.self {
            let strategy = recordType.databaseDateEncodingStrategy(for: column)
            return writer(isOptional: type != Date.self) { strategy.encode($0) }
        }
        if type == UUID.self || type == UUID?.self {
            let strategy = recordType.databaseUUIDEncodingStrategy(for: column)
            return writer(isOptional: type != UUID.self) { strategy.encode($0) }
        }
        if type == Data.self || type == Data?.self {
            let strategy = recordType.databaseDataEncodingStrategy(for: column)
            return writer(isOptional: type != Data.self) { try strategy.encode($0) }
        }
        return nil
    }

    /// - Parameter isOptional: whether the type of the property is an optional; only one level is supported.
    private static func writer<Wrapped>(
        isOptional: Bool, _ encode: @escaping (Wrapped) throws -> (any DatabaseValueConvertible)?
    ) -> AnyObject {
        let write = { (value: Wrapped) in StoredValue(try encode(value)) }
        return isOptional ? ColumnWriter<Wrapped?> { try $0.map(write) ?? .null } : ColumnWriter<Wrapped>(write)
    }

    private static func ofConvertible<Convertible: DatabaseValueConvertible>(_ type: Convertible.Type) -> AnyObject {
        ColumnWriter<Convertible> { StoredValue($0) }
    }

    /// The writer of values of other types: JSON, or a single value, such as the raw value of an enumeration.
    private static func ofJSON(
        _ column: String, _ key: any CodingKey, _ recordType: any EncodableRecord.Type
    ) -> AnyObject {
        let encoder = recordType.databaseJSONEncoder(for: column)
        let encoderUserInfo = encoder.userInfo
        var isVarying: Bool?
        return ColumnWriter { value in
            let userInfo = recordType.databaseEncodingUserInfo
            if let single = try DatabaseValueEncoder.singleValue(of: value, key: key, userInfo: userInfo) {
                let varies = isVarying ?? VaryingCodable.contains(Value.self)
                isVarying = varies
                if !varies || !VaryingCodable.isAmbiguous(single, of: value) { return StoredValue(single) }
            }
            if !userInfo.isEmpty { encoder.userInfo = sendable(userInfo.merging(encoderUserInfo) { $1 }) }
            return StoredValue(try encoder.storedValue(value))
        }
    }
}
