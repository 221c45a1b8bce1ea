import Foundation

/// A copy of the settings of a ``JSONBDecoder``. Reading them from the decoder locks a mutex for each setting.
struct JSONBDecodingOptions {
    let dates: JSONDecoder.DateDecodingStrategy
    let datas: JSONDecoder.DataDecodingStrategy
    let floats: JSONDecoder.NonConformingFloatDecodingStrategy
    let keys: JSONDecoder.KeyDecodingStrategy
    let userInfo: [CodingUserInfoKey: Any]

    /// Whether keys are compared without conversion.
    let hasPlainKeys: Bool

    init(_ decoder: JSONDecoder) {
        dates = decoder.dateDecodingStrategy
        datas = decoder.dataDecodingStrategy
        floats = decoder.nonConformingFloatDecodingStrategy
        keys = decoder.keyDecodingStrategy
        userInfo = decoder.userInfo
        hasPlainKeys = if case .useDefaultKeys = keys { true } else { false }
    }

    /// Whether the keys of a type aren't converted: those of a dictionary are data, not property names.
    func keepsKeys(of type: Any.Type) -> Bool { !hasPlainKeys && type is any StringKeyedDictionary.Type }

    /// The property name for a JSON key.
    func key(_ name: String, path: [any CodingKey]) -> String {
        switch keys {
        case .convertFromSnakeCase: SnakeCaseKeys.decode(name)
        case .custom(let convert): convert(path + [JSONBKey(name)]).stringValue
        default: name
        }
    }

    func date(_ decoder: JSONBValueDecoder) throws -> Date {
        switch dates {
        case .secondsSince1970: return Date(timeIntervalSince1970: try decoder.decode(Double.self))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try decoder.decode(Double.self) / 1000)
        case .iso8601:
            return try decoder.converted("an ISO 8601 date") { try? Date($0, strategy: .iso8601) }
        case .custom(let decode): return try decode(decoder)
        default:
            guard let formatter = dates.formatter else { return try Date(from: decoder) }
            return try decoder.converted("a date") { formatter.date(from: $0) }
        }
    }

    func data(_ decoder: JSONBValueDecoder) throws -> Data {
        switch datas {
        case .base64: try decoder.converted("base64") { Data(base64Encoded: $0) }
        case .custom(let decode): try decode(decoder)
        default: try Data(from: decoder)
        }
    }

    /// The number for a string, if JSON can't represent the number.
    func nonConforming<Value: BinaryFloatingPoint>(_ text: String?) -> Value? {
        guard case .convertFromString(let positive, let negative, let nan) = floats else { return nil }
        return switch text {
        case positive: .infinity
        case negative: -.infinity
        case nan: .nan
        default: nil
        }
    }
}

/// A type whose keys are data.
protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}

/// A key or an index that isn't declared by a type.
struct JSONBKey: CodingKey {
    private let name: String?
    let intValue: Int?

    init(_ name: String) {
        self.name = name
        intValue = nil
    }

    init(index: Int) {
        name = nil
        intValue = index
    }

    /// The name of an index is only needed for errors.
    var stringValue: String { name ?? "Index \(intValue ?? 0)" }

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) { self.init(index: intValue) }

    static let `super` = JSONBKey("super")
}
