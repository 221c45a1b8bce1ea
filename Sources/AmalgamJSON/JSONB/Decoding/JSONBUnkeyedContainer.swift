/// The unkeyed container of an array.
final class JSONBUnkeyedContainer: UnkeyedDecodingContainer {
    private let context: JSONBContext
    private let array: JSONBValue
    private let depth: Int
    private var position: Int
    private(set) var currentIndex = 0

    /// The number of elements, after it has been requested.
    private var knownCount: Int?

    init(_ context: JSONBContext, _ array: JSONBValue, depth: Int) {
        self.context = context
        self.array = array
        self.depth = depth
        position = array.start
    }

    var codingPath: [any CodingKey] { context.path(depth: depth) }

    var isAtEnd: Bool { position >= array.end }

    /// The number of elements; nil if the array is malformed.
    var count: Int? {
        if let knownCount { return knownCount }
        var (count, position) = (0, array.start)
        while position < array.end {
            guard let value = context.storage.value(at: position, before: array.end) else { return nil }
            count += 1
            position = value.end
        }
        knownCount = count
        return count
    }

    func decodeNil() throws -> Bool {
        let value = try next(Any.self)
        guard value.type.isNull else { return false }
        move(behind: value)
        return true
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try next(type)
        let result = try context.decode(type, value, depth: depth, key)
        move(behind: value)
        return result
    }

    // MARK: Elements

    private var key: JSONBKey { JSONBKey(index: currentIndex) }

    @inline(__always)
    private func next(_ type: Any.Type) throws -> JSONBValue {
        if let value = context.storage.value(at: position, before: array.end) { return value }
        throw isAtEnd ? ended(type) : context.malformed(depth: depth, key)
    }

    @inline(__always)
    private func move(behind value: JSONBValue) {
        position = value.end
        currentIndex += 1
    }

    private func ended(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: context.path(depth: depth, key), debugDescription: "The array has no more elements."))
    }

    @inline(__always)
    private func scalar<T: JSONBScalar>(_ type: T.Type) throws -> T {
        let value = try next(type)
        guard let result = T(jsonb: value, in: context.storage) else {
            throw context.failure(type, value, depth: depth, key)
        }
        move(behind: value)
        return result
    }

    @inline(__always)
    private func float<T: JSONBFloat & JSONBScalar>(_ type: T.Type) throws -> T {
        let value = try next(type)
        let result =
            try T(jsonb: value, in: context.storage) ?? context.nonConforming(type, value, depth: depth, key)
        move(behind: value)
        return result
    }

    func decode(_ type: Bool.Type) throws -> Bool { try scalar(type) }
    func decode(_ type: String.Type) throws -> String { try scalar(type) }
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
    func decode(_ type: Double.Type) throws -> Double { try float(type) }
    func decode(_ type: Float.Type) throws -> Float { try float(type) }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested { try $0.container(keyedBy: type) }
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try nested { try $0.unkeyedContainer() } }

    func superDecoder() throws -> any Decoder { try nested { $0 } }

    private func nested<T>(_ body: (JSONBValueDecoder) throws -> T) throws -> T {
        let value = try next(Any.self)
        try context.checkDepth(depth, key)
        let result = try body(JSONBValueDecoder(context.detached(depth: depth, key), value, depth: depth + 1))
        move(behind: value)
        return result
    }
}
