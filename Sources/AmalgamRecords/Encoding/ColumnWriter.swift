import AmalgamCore
import Foundation

/// Makes what is stored of the values of one property.
///
/// What to make depends on the type: found out once, it is a closure from then on.
final class ColumnWriter<Value> {
    /// The value to bind.
    let write: (Value) throws -> StoredValue

    init(_ write: @escaping (Value) throws -> StoredValue) {
        self.write = write
    }
}

extension ColumnWriter where Value: Encodable {
    /// The writer of a column.
    static func make(_ column: String, _ recordType: any EncodableRecord.Type) -> ColumnWriter {
        let writer: AnyObject =
            ofStrategy(column, recordType)
            ?? (Value.self as? any DatabaseValueConvertible.Type).map { ofConvertible($0) }
            ?? ofJSON(column, recordType)
        return unsafeDowncast(writer, to: ColumnWriter.self)
    }

    /// Dates, data and UUIDs, which have strategies.
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

    /// - Parameter isOptional: whether the type of the property is an optional, for once.
    private static func writer<Wrapped>(
        isOptional: Bool, _ encode: @escaping (Wrapped) throws -> (any DatabaseValueConvertible)?
    ) -> AnyObject {
        let write = { (value: Wrapped) in StoredValue(try encode(value)) }
        return isOptional ? ColumnWriter<Wrapped?> { try $0.map(write) ?? .null } : ColumnWriter<Wrapped>(write)
    }

    private static func ofConvertible<Convertible: DatabaseValueConvertible>(_ type: Convertible.Type) -> AnyObject {
        ColumnWriter<Convertible> { StoredValue($0) }
    }

    /// What is a single value after all, such as an enumeration with a raw value, and JSON.
    private static func ofJSON(_ column: String, _ recordType: any EncodableRecord.Type) -> AnyObject {
        let encoder = recordType.databaseJSONEncoder(for: column)
        return ColumnWriter { value in
            if let single = try DatabaseValueEncoder.singleValue(of: value) { return StoredValue(single) }
            let userInfo = recordType.databaseEncodingUserInfo
            if !userInfo.isEmpty { encoder.userInfo = sendable(userInfo) }
            return StoredValue(try encoder.storedValue(value))
        }
    }
}
