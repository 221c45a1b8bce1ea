import Foundation

/// Decodes one element. It fits into the inline buffer of the existential that Codable passes, and needs no allocation.
struct JSONBValueDecoder: Decoder {
    let context: JSONBContext
    private let offset: UInt32
    private let size: UInt32
    private let type: JSONBType

    /// Whether the keys of the element are data, and aren't converted.
    private let keepsKeys: Bool

    private let depth16: UInt16

    init(_ context: JSONBContext, _ value: JSONBValue, depth: Int, keepsKeys: Bool = false) {
        self.context = context
        offset = value.offset
        size = value.size
        type = value.type
        depth16 = UInt16(truncatingIfNeeded: depth)
        self.keepsKeys = keepsKeys
    }

    var value: JSONBValue { JSONBValue(type: type, offset: Int(offset), size: Int(size)) }

    var depth: Int { Int(depth16) }

    var codingPath: [any CodingKey] { context.path(depth: depth) }

    var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard self.type == .object else { throw context.failure([String: Any].self, value, depth: depth) }
        return KeyedDecodingContainer(
            JSONBKeyedContainer<Key>(context: context, object: value, depth: depth, keepsKeys: keepsKeys))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard type == .array else { throw context.failure([Any].self, value, depth: depth) }
        return JSONBUnkeyedContainer(context, value, depth: depth)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONBValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { type.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try context.unwrap(type, value, depth: depth) }

    @inline(__always)
    private func scalar<T: JSONBScalar>(_ type: T.Type) throws -> T {
        if let value = T(jsonb: value, in: context.storage) { return value }
        throw context.failure(type, value, depth: depth)
    }

    func decode(_ type: Bool.Type) throws -> Bool { try scalar(type) }
    func decode(_ type: String.Type) throws -> String { try scalar(type) }
    func decode(_ type: Double.Type) throws -> Double { try float(type) }
    func decode(_ type: Float.Type) throws -> Float { try float(type) }
    func decode(_ type: Int.Type) throws -> Int { try scalar(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try scalar(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try scalar(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try scalar(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try scalar(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try scalar(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try scalar(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try scalar(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try scalar(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type) }

    private func float<T: JSONBFloat & JSONBScalar>(_ type: T.Type) throws -> T {
        if let value = T(jsonb: value, in: context.storage) { return value }
        return try context.nonConforming(type, value, depth: depth)
    }
}

extension JSONBContext {
    /// Decodes a number that JSON can't represent, from a string.
    func nonConforming<T: BinaryFloatingPoint>(
        _ type: T.Type, _ value: JSONBValue, depth: Int, _ key: (any CodingKey)? = nil
    ) throws -> T {
        if let number: T = options.nonConforming(String(jsonb: value, in: storage)) { return number }
        throw failure(type, value, depth: depth, key)
    }
}

// MARK: - Types of Foundation

extension JSONBValueDecoder {
    func url() throws -> URL { try converted("a URL") { URL(string: $0) } }

    func decimal() throws -> Decimal {
        let bytes = context.storage.payload(value)
        if type == .int5, let hexadecimal = JSONBHexadecimal(bytes) {
            return hexadecimal.isNegative ? -Decimal(hexadecimal.magnitude) : Decimal(hexadecimal.magnitude)
        }
        guard type.isNumber else { throw context.failure(Decimal.self, value, depth: depth) }
        let text = String(decoding: bytes, as: UTF8.self)
        let isNumber = (JSONBNumber.float(bytes, type) as Double?) != nil
        if isNumber, let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) { return decimal }
        throw corrupted("\(text) isn't a decimal number.")
    }

    /// Decodes a string, and converts it.
    func converted<T>(_ kind: String, _ convert: (String) -> T?) throws -> T {
        let text = try decode(String.self)
        if let value = convert(text) { return value }
        throw corrupted("“\(text)” is not \(kind).")
    }

    private func corrupted(_ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: description))
    }
}
