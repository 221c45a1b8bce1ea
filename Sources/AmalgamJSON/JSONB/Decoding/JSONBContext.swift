import AmalgamCore
import Foundation

/// The shared state of a decoding: the bytes, the settings, and the current coding path.
///
/// Codable decodes depth-first. Therefore, all decoders share one coding path: each decoder only stores the length of
/// its own path, and needs no allocation. Containers that a type requests with `nestedContainer(keyedBy:forKey:)` or a
/// similar method may be used in any order, and have separate contexts.
final class JSONBContext {
    let storage: JSONBStorage
    let options: JSONBDecodingOptions

    private(set) var path: [any CodingKey]

    /// The offset in an object at which the search for the next key begins, and the set of the keys before this offset.
    ///
    /// If an object has equal keys, the first one counts. Therefore, the search for a key that may be in the set begins
    /// at the start of the object.
    private struct Hint {
        var position: Int
        var passedKeys = JSONBKeySet.empty
    }

    /// The position of the next search, by depth. Types usually decode keys in their stored order.
    private var hints: [Hint] = []

    /// The most recent object in which a key wasn't found: its offset, and the set of its keys. If the key of an
    /// optional property isn't in this set, the look-up needs no search.
    private var missed: (start: Int, keys: JSONBKeySet) = (-1, .unknown)

    /// For each depth, the object whose keys were converted last: its offset, and its values.
    private var converted: [Int: (start: Int, values: ConvertedKeys)] = [:]

    private var stack = StackSpace()

    init(_ storage: JSONBStorage, _ options: JSONBDecodingOptions, path: [any CodingKey] = []) {
        self.storage = storage
        self.options = options
        self.path = path
    }

    /// The coding path of a decoder at a depth.
    func path(depth: Int, _ key: (any CodingKey)? = nil) -> [any CodingKey] {
        Array(path.prefix(depth)) + (key.map { [$0] } ?? [])
    }

    /// A context for a container that is used in any order.
    func detached(depth: Int, _ key: any CodingKey) -> JSONBContext {
        let context = JSONBContext(storage, options, path: path(depth: depth, key))
        context.stack = stack
        return context
    }

    // MARK: Values

    /// Decodes a value of any type.
    ///
    /// - Parameter depth: The nesting depth of the array or object that contains the value.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, _ value: JSONBValue, depth: Int, _ key: some CodingKey) throws -> T {
        // Fast paths for the most common types of elements and dictionary values. If one fails, the general path
        // decodes the value again, and throws the error. The fast paths aren't in a function that returns `T?`, because
        // each call would look up the metadata of `T?`.
        if type == String.self, let text = String(jsonb: value, in: storage) { return sameTypeCast(text) }
        if type == Int.self, let int = Int(jsonb: value, in: storage) { return sameTypeCast(int) }
        if type == Double.self, let double = Double(jsonb: value, in: storage) {
            return sameTypeCast(double)
        }
        if type == Bool.self, let bool = Bool(jsonb: value, in: storage) { return sameTypeCast(bool) }
        if depth >= StackSpace.checkedDepth { try checkDepth(depth, key) }
        shortenPath(to: depth)
        path.append(key)
        let result = try unwrap(type, value, depth: depth + 1)
        shortenPath(to: depth)
        return result
    }

    /// Removes the keys of previous values. They remain after an error that the type has caught.
    @inline(__always)
    private func shortenPath(to depth: Int) {
        if path.count > depth { path.removeLast(path.count - depth) }
    }

    /// Decodes a value of any type, at the current path.
    func unwrap<T: Decodable>(_ type: T.Type, _ value: JSONBValue, depth: Int) throws -> T {
        if value.type == .array {
            if type == [String].self {
                return sameTypeCast(try array(of: String.self, value, depth: depth))
            }
            if type == [Int].self { return sameTypeCast(try array(of: Int.self, value, depth: depth)) }
            if type == [Double].self {
                return sameTypeCast(try array(of: Double.self, value, depth: depth))
            }
        } else if value.type == .object {
            if type == [String: String].self {
                return sameTypeCast(try dictionary(of: String.self, value, depth: depth))
            }
            if type == [String: Int].self {
                return sameTypeCast(try dictionary(of: Int.self, value, depth: depth))
            }
            if type == [String: Double].self {
                return sameTypeCast(try dictionary(of: Double.self, value, depth: depth))
            }
            if type == [String: Bool].self {
                return sameTypeCast(try dictionary(of: Bool.self, value, depth: depth))
            }
        }
        let decoder = JSONBValueDecoder(self, value, depth: depth, keepsKeys: options.keepsKeys(of: type))
        if type == Date.self { return sameTypeCast(try options.date(decoder)) }
        if type == Data.self { return sameTypeCast(try options.data(decoder)) }
        if type == URL.self { return sameTypeCast(try decoder.url()) }
        if type == Decimal.self { return sameTypeCast(try decoder.decimal()) }
        return try T(from: decoder)
    }

    // MARK: Keys

    /// The value of a key of an object.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - moves: Whether the next search in the object begins after the found key. If false, the next search begins
    ///     where this one began.
    /// - Throws: A `DecodingError` if the object is malformed.
    func value(
        ofKey name: String, in object: JSONBValue, depth: Int, keepsKeys: Bool, moves: Bool
    ) throws -> JSONBValue? {
        guard keepsKeys || options.hasPlainKeys else {
            return try value(ofConvertedKey: name, in: object, depth: depth)
        }
        while hints.count <= depth { hints.append(Hint(position: object.start)) }
        var hint = hints[depth]
        if hint.position <= object.start || hint.position >= object.end { hint = Hint(position: object.start) }
        var name = name
        let found: JSONBValue? = try name.withUTF8 { name in
            if missed.start == object.start, !missed.keys.mayContain(UnsafeRawBufferPointer(name)) { return nil }
            return try value(ofKey: name, in: object, depth, from: &hint)
        }
        if found != nil {
            if moves { hints[depth] = hint }
        } else if missed.start != object.start {
            missed = (object.start, keys(of: object))
        }
        return found
    }

    /// The value of the first key with a name.
    ///
    /// - Parameter hint: The offset at which the search begins. If the key may be before this offset, the method first
    ///   searches from the start of the object. The method sets the hint to the offset after the found value.
    @inline(__always)
    private func value(
        ofKey name: UnsafeBufferPointer<UInt8>, in object: JSONBValue, _ depth: Int, from hint: inout Hint
    ) throws -> JSONBValue? {
        if hint.position > object.start, hint.passedKeys.mayContain(UnsafeRawBufferPointer(name)) {
            var start = Hint(position: object.start)
            if let found = try value(ofKey: name, before: hint.position, object, depth, from: &start) {
                hint = start
                return found
            }
        }
        return try value(ofKey: name, before: object.end, object, depth, from: &hint)
    }

    /// The value of the first key with a name between two positions.
    @inline(__always)
    private func value(
        ofKey name: UnsafeBufferPointer<UInt8>, before end: Int, _ object: JSONBValue, _ depth: Int,
        from hint: inout Hint
    ) throws -> JSONBValue? {
        let bytes = storage.bytes
        while hint.position < end {
            guard let label = bytes.value(at: hint.position, before: object.end), label.type.isText,
                let value = bytes.value(at: label.end, before: object.end)
            else { throw malformed(depth: depth) }
            hint.position = value.end
            if label.type.hasEscapes {
                hint.passedKeys = .unknown
                let text = String(jsonb: label, in: storage)
                if let text, text.utf8.elementsEqual(name) { return value }
            } else {
                hint.passedKeys.insert(bytes.payload(label))
                if bytes.equals(label, name) { return value }
            }
        }
        return nil
    }

    /// The keys of an object in which a search failed, and which is therefore well-formed.
    private func keys(of object: JSONBValue) -> JSONBKeySet {
        let bytes = storage.bytes
        var keys = JSONBKeySet.empty
        var position = object.start
        while let label = bytes.value(at: position, before: object.end), !label.type.hasEscapes,
            let value = bytes.value(at: label.end, before: object.end)
        {
            keys.insert(bytes.payload(label))
            position = value.end
        }
        return position < object.end ? .unknown : keys
    }

    /// The value of a key that is converted to a property name.
    private func value(ofConvertedKey name: String, in object: JSONBValue, depth: Int) throws -> JSONBValue? {
        if let known = converted[depth], known.start == object.start { return known.values.value(name, options.keys) }
        var values = ConvertedKeys()
        try forEachKey(in: object, depth: depth, keepsKeys: true) { key, value in
            values.add(value, key, options.hasPlainKeys ? key : options.key(key, path: path(depth: depth)))
        }
        converted[depth] = (object.start, values)
        return values.value(name, options.keys)
    }

    /// Calls a closure with each key of an object, and its value.
    ///
    /// - Throws: A `DecodingError` if the object is malformed.
    func forEachKey(in object: JSONBValue, depth: Int, keepsKeys: Bool, _ body: (String, JSONBValue) -> Void) throws {
        var position = object.start
        while position < object.end {
            guard let label = storage.value(at: position, before: object.end), label.type.isText,
                let value = storage.value(at: label.end, before: object.end),
                let name = String(jsonb: label, in: storage)
            else { throw malformed(depth: depth) }
            let isPlain = keepsKeys || options.hasPlainKeys
            body(isPlain ? name : options.key(name, path: path(depth: depth)), value)
            position = value.end
        }
    }
}

/// The values of an object whose keys are converted to property names. If keys are equal, the first one counts.
private struct ConvertedKeys {
    private var valuesByName: [ExactString: JSONBValue] = [:]
    private var valuesByKey: [ExactString: JSONBValue] = [:]

    mutating func add(_ value: JSONBValue, _ key: String, _ name: String) {
        let (key, name) = (ExactString(key), ExactString(name))
        if valuesByName[name] == nil { valuesByName[name] = value }
        if valuesByKey[key] == nil { valuesByKey[key] = value }
    }

    /// The value of a property.
    ///
    /// `.convertToSnakeCase` encodes both properties `playerId` and `playerID` with the key `player_id`, but
    /// `.convertFromSnakeCase` converts this key only to `playerId`. Therefore, if no converted key is equal to the
    /// name `playerID`, the method converts the name to the key `player_id`, and searches for this key.
    func value(_ name: String, _ strategy: JSONDecoder.KeyDecodingStrategy) -> JSONBValue? {
        if let value = valuesByName[ExactString(name)] { return value }
        guard case .convertFromSnakeCase = strategy else { return nil }
        return valuesByKey[ExactString(SnakeCaseKeys.encode(name))]
    }
}

/// A Bloom filter of keys in 64 bits. It may contain keys that weren't inserted.
struct JSONBKeySet {
    private var bits: UInt64

    static let empty = JSONBKeySet(bits: 0)

    /// The set that may contain any key.
    static let unknown = JSONBKeySet(bits: .max)

    @inline(__always)
    mutating func insert(_ key: UnsafeRawBufferPointer) { bits |= Self.bit(key) }

    @inline(__always)
    func mayContain(_ key: UnsafeRawBufferPointer) -> Bool { bits & Self.bit(key) != 0 }

    mutating func insert(_ key: String) {
        var key = key
        key.withUTF8 { insert(UnsafeRawBufferPointer($0)) }
    }

    func mayContain(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { mayContain(UnsafeRawBufferPointer($0)) }
    }

    /// The bit of a key, computed from its length, its first byte and its last byte.
    @inline(__always)
    private static func bit(_ key: UnsafeRawBufferPointer) -> UInt64 {
        guard let first = key.first, let last = key.last else { return 1 }
        return 1 &<< UInt64(truncatingIfNeeded: key.count &* 7 &+ Int(first) &* 5 &+ Int(last) &* 11)
    }
}

// MARK: - Errors

extension JSONBContext {
    /// Runs a closure whose caller can't throw. The decoding throws its error at the end.
    @discardableResult
    func noting<T>(_ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch {
            storage.failure = storage.failure ?? error
            return nil
        }
    }

    /// The error for bytes that aren't JSONB.
    func malformed(depth: Int, _ key: (any CodingKey)? = nil) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: path(depth: depth, key), debugDescription: "The bytes are malformed JSONB."))
    }

    /// Checks that a value may be nested in another one.
    ///
    /// - Throws: A `DecodingError` if the values are nested too deeply, or if the stack of the thread is exhausted.
    func checkDepth(_ depth: Int, _ key: any CodingKey) throws {
        guard depth >= JSONBLimit.depth || (depth >= StackSpace.checkedDepth && !stack.hasSpace()) else { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: path(depth: depth, key), debugDescription: JSONBLimit.description(depth: depth)))
    }

    /// The error for an element that can't be decoded as a type.
    func failure(_ type: Any.Type, _ value: JSONBValue, depth: Int, _ key: (any CodingKey)? = nil) -> DecodingError {
        let path = path(depth: depth, key)
        if value.type.isNull {
            return .valueNotFound(
                type, DecodingError.Context(codingPath: path, debugDescription: "Expected \(type), found null."))
        }
        let isRightKind =
            type is any (BinaryInteger.Type) || type is any (BinaryFloatingPoint.Type)
            ? value.type.isNumber : type == String.self && value.type.isText
        if isRightKind {
            let bytes = String(decoding: storage.payload(value).prefix(40), as: UTF8.self)
            let description = "\(type) has no value for \(bytes), or it is malformed."
            return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: description))
        }
        return .typeMismatch(
            type, DecodingError.Context(codingPath: path, debugDescription: "Expected \(type), found \(value.type)."))
    }
}
