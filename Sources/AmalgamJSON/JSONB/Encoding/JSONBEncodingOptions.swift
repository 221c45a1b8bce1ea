import Foundation

/// A copy of the settings of a ``JSONBEncoder``. Reading them from the encoder locks a mutex for each setting.
struct JSONBEncodingOptions {
    let dates: JSONEncoder.DateEncodingStrategy
    let datas: JSONEncoder.DataEncodingStrategy
    let floats: JSONEncoder.NonConformingFloatEncodingStrategy
    let keys: JSONEncoder.KeyEncodingStrategy
    let userInfo: [CodingUserInfoKey: Any]
    let sortsKeys: Bool

    /// Whether keys are written without conversion.
    let hasPlainKeys: Bool

    init(_ encoder: JSONEncoder) {
        dates = encoder.dateEncodingStrategy
        datas = encoder.dataEncodingStrategy
        floats = encoder.nonConformingFloatEncodingStrategy
        keys = encoder.keyEncodingStrategy
        userInfo = encoder.userInfo
        sortsKeys = encoder.outputFormatting.contains(.sortedKeys)
        hasPlainKeys = if case .useDefaultKeys = keys { true } else { false }
    }

    /// Whether the keys of a type aren't converted: those of a dictionary are data, not property names.
    func keepsKeys(of type: Any.Type) -> Bool { !hasPlainKeys && type is any StringKeyedDictionary.Type }

    /// The JSON key of a property.
    func key(_ key: some CodingKey, path: @autoclosure () -> [any CodingKey]) -> String {
        switch keys {
        case .convertToSnakeCase: SnakeCaseKeys.encode(key.stringValue)
        case .custom(let convert): convert(path() + [key]).stringValue
        default: key.stringValue
        }
    }

    func encode(_ date: Date, _ encoder: JSONBValueEncoder) throws {
        switch dates {
        case .secondsSince1970: try encoder.write(float: date.timeIntervalSince1970)
        case .millisecondsSince1970: try encoder.write(float: date.timeIntervalSince1970 * 1000)
        case .iso8601: encoder.writer.write(text: date.formatted(.iso8601))
        case .custom(let encode): try encode(date, encoder)
        default:
            guard let formatter = dates.formatter else { return try date.encode(to: encoder) }
            encoder.writer.write(text: formatter.string(from: date))
        }
    }

    func encode(_ data: Data, _ encoder: JSONBValueEncoder) throws {
        switch datas {
        case .base64: encoder.writer.write(text: data.base64EncodedString())
        case .custom(let encode): try encode(data, encoder)
        default: try data.encode(to: encoder)
        }
    }

    /// The string for a number that JSON can't represent.
    func text(ofNonConforming number: some BinaryFloatingPoint) -> String? {
        guard case .convertToString(let positive, let negative, let nan) = floats else { return nil }
        return number.isNaN ? nan : number < 0 ? negative : positive
    }
}
