import AmalgamCore
import Foundation

/// A Swift value in the format of a JSON encoder: a date as a number, a UUID as a string, data as Base64.
///
/// In a column that stores only this value, the format is different: a date is a string, a UUID is a BLOB. Therefore, a
/// Swift value that is compared with a value inside JSON, or inserted into JSON, must be encoded by the encoder that
/// has written the JSON.
enum EncodedJSON {
    /// null, a number or a string, as an SQL value.
    case scalar(DatabaseValue)

    /// true or false.
    case bool(Bool)

    /// An array or object, as JSON text or JSONB.
    case container(DatabaseValue)

    /// Encodes a Swift value.
    ///
    /// - Parameter encoder: The encoder; nil for the default encoder of JSON columns.
    /// - Returns: nil for an SQL expression, for a value that columns and JSON store in the same format, and for a
    ///   value that can't be converted to an `Encodable` value.
    init?(_ value: any SQLExpressible, by encoder: JSONEncoder?) {
        if value is any SQLOperand || Self.hasOneForm(value) { return nil }
        guard let encodable = Self.encodable(value) else { return nil }
        do {
            self = try Self.encoded(encodable, by: encoder ?? DatabaseValue.databaseJSONEncoder())
        } catch {
            self = .scalar(DatabaseValue(unstorable: "\(type(of: value)) does not encode: \(error)"))
        }
    }

    /// Returns the encoded form of a Swift value that is compared with a value inside JSON. Returns nil if
    /// ``init(_:by:)`` returns nil, and if the value is encoded as an array or object. In these cases, the caller
    /// compares the JSON with `value.sqlExpression`: for a Swift value, the SQL value that a column stores.
    static func comparand(of value: any SQLExpressible, by encoder: JSONEncoder?) -> (any SQLNode)? {
        switch EncodedJSON(value, by: encoder) {
        case .scalar(let value): value
        case .bool(let bool): bool.databaseValue
        case .container, nil: nil
        }
    }

    /// Whether columns and JSON use the same format for a value.
    private static func hasOneForm(_ value: any SQLExpressible) -> Bool {
        switch value {
        case is String, is Bool, is any FixedWidthInteger: true
        case let double as Double: double.isFinite
        default: false
        }
    }

    /// The value to encode. Foundation classes are converted to their Swift value types.
    private static func encodable(_ value: any SQLExpressible) -> (any Encodable)? {
        switch value {
        case let encodable as any Encodable: encodable
        case let date as NSDate: Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let data as NSData: Data(referencing: data)
        case let uuid as NSUUID: uuid.uuidString
        case let decimal as NSDecimalNumber: decimal.decimalValue
        default: nil
        }
    }

    private static func encoded(_ value: some Encodable, by encoder: JSONEncoder) throws -> EncodedJSON {
        let json = try encoder.encode(value)
        let isText = !(encoder is any BinaryJSONEncoder)
        let decoder = isText ? JSONDecoder() : JSONBDecoder()
        if let scalar = try? decoder.decode(JSONScalar.self, from: json) { return scalar.encoded }
        return .container(isText ? String(decoding: json, as: UTF8.self).databaseValue : json.databaseValue)
    }
}

/// A JSON value that is neither an array nor an object.
private struct JSONScalar: Decodable {
    let encoded: EncodedJSON

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            encoded = .scalar(.null)
        } else if let bool = try? container.decode(Bool.self) {
            encoded = .bool(bool)
        } else if let integer = try? container.decode(Int64.self) {
            encoded = .scalar(integer.databaseValue)
        } else if let real = try? container.decode(Double.self) {
            encoded = .scalar(real.databaseValue)
        } else {
            encoded = .scalar(try container.decode(String.self).databaseValue)
        }
    }
}
