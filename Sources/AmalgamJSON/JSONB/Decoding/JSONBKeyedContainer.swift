import AmalgamCore

/// The keyed container of an object.
struct JSONBKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let context: JSONBContext
    let object: JSONBValue
    let depth: Int

    /// Whether keys are data, and aren't converted.
    let keepsKeys: Bool

    var codingPath: [any CodingKey] { context.path(depth: depth) }

    /// The distinct keys, without those that `Key` can't represent.
    var allKeys: [Key] {
        var keys: [Key] = []
        var names = JSONBKeySet.empty
        context.noting {
            try context.forEachKey(in: object, depth: depth, keepsKeys: keepsKeys) { name, _ in
                if names.mayContain(name), keys.contains(where: { $0.stringValue.equalsExactly(name) }) { return }
                names.insert(name)
                if let key = Key(stringValue: name) { keys.append(key) }
            }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { context.noting { try find(key, moves: false) != nil } ?? false }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let value = try find(key, moves: false) else { throw missing(key) }
        return value.type.isNull
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try context.decode(type, value(key), depth: depth, key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = try find(key), !value.type.isNull else { return nil }
        return try context.decode(type, value, depth: depth, key)
    }

    @inline(__always)
    private func find(_ key: Key, moves: Bool = true) throws -> JSONBValue? {
        try context.value(ofKey: key.stringValue, in: object, depth: depth, keepsKeys: keepsKeys, moves: moves)
    }

    private func value(_ key: Key) throws -> JSONBValue {
        if let value = try find(key) { return value }
        throw missing(key)
    }

    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "There is no value for the key “\(key.stringValue)”."))
    }
}

// MARK: - Scalars

extension JSONBKeyedContainer {
    @inline(__always)
    private func scalar<T: JSONBScalar>(_ type: T.Type, _ key: Key) throws -> T {
        let value = try value(key)
        if let result = T(jsonb: value, in: context.storage) { return result }
        throw context.failure(type, value, depth: depth, key)
    }

    @inline(__always)
    private func scalarIfPresent<T: JSONBScalar>(_ type: T.Type, _ key: Key) throws -> T? {
        guard let value = try find(key), !value.type.isNull else { return nil }
        if let result = T(jsonb: value, in: context.storage) { return result }
        throw context.failure(type, value, depth: depth, key)
    }

    @inline(__always)
    private func float<T: JSONBFloat & JSONBScalar>(_ type: T.Type, _ key: Key) throws -> T {
        let value = try value(key)
        if let result = T(jsonb: value, in: context.storage) { return result }
        return try context.nonConforming(type, value, depth: depth, key)
    }

    @inline(__always)
    private func floatIfPresent<T: JSONBFloat & JSONBScalar>(_ type: T.Type, _ key: Key) throws -> T? {
        guard let value = try find(key), !value.type.isNull else { return nil }
        if let result = T(jsonb: value, in: context.storage) { return result }
        return try context.nonConforming(type, value, depth: depth, key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try scalar(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try scalar(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try scalar(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try scalar(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try scalar(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try scalar(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try scalar(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try scalar(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try scalar(type, key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try scalar(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try scalar(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try float(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try float(type, key) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try scalarIfPresent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try floatIfPresent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try floatIfPresent(type, key) }
}

// MARK: - Nested containers

extension JSONBKeyedContainer {
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(of: value(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(of: value(key), key).unkeyedContainer()
    }

    /// The decoder of the key `super`.
    func superDecoder() throws -> any Decoder {
        let key = JSONBKey.super
        let value = try context.value(
            ofKey: key.stringValue, in: object, depth: depth, keepsKeys: keepsKeys, moves: true)
        return try decoder(of: value ?? .missing, key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(of: find(key) ?? .missing, key) }

    private func decoder(of value: JSONBValue, _ key: any CodingKey) throws -> JSONBValueDecoder {
        try context.checkDepth(depth, key)
        return JSONBValueDecoder(context.detached(depth: depth, key), value, depth: depth + 1)
    }
}

extension JSONBValue {
    /// The null element that a superclass decodes if the key is missing.
    fileprivate static var missing: JSONBValue { JSONBValue(type: .null, offset: 0, size: 0) }
}
