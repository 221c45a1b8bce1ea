import Foundation

/// What the containers of one decoding share: the bytes, the settings, and where decoding is.
///
/// Codable decodes depth first. So one path serves all decoders: each knows how many of its keys are its own, and none
/// needs memory. Containers that a type takes apart by hand, which may be used in any order, have a context of their own.
final class JSONBContext {
    let storage: JSONBStorage
    let options: JSONBDecodingOptions

    @exclusivity(unchecked)  // As what follows: decoders are used from one thread, and nothing here calls itself.
    private(set) var path: [any CodingKey]

    /// For each depth, where to look for the next key. Keys are mostly asked for in the order in which they come.
    @exclusivity(unchecked)
    private var hints: [Int] = []

    init(_ storage: JSONBStorage, _ options: JSONBDecodingOptions, path: [any CodingKey] = []) {
        self.storage = storage
        self.options = options
        self.path = path
    }

    /// The path of a decoder at a depth.
    func path(depth: Int, _ key: (any CodingKey)? = nil) -> [any CodingKey] {
        Array(path.prefix(depth)) + (key.map { [$0] } ?? [])
    }

    /// A context for a container that is used in any order.
    func detached(depth: Int, _ key: any CodingKey) -> JSONBContext {
        JSONBContext(storage, options, path: path(depth: depth, key))
    }

    // MARK: Values

    /// A value of any type.
    ///
    /// - Parameter depth: the depth of the container that the value is in.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, _ value: JSONBValue, depth: Int, _ key: some CodingKey) throws -> T {
        if let value = scalar(type, value) { return value }
        if depth >= JSONBLimit.depth { throw tooDeep(depth, key) }
        shortenPath(to: depth)
        path.append(key)
        let result = try unwrap(type, value, depth: depth + 1)
        shortenPath(to: depth)
        return result
    }

    /// Takes away the keys of values that were decoded before. Those of an error that somebody caught are still there.
    @inline(__always)
    private func shortenPath(to depth: Int) {
        if path.count > depth { path.removeLast(path.count - depth) }
    }

    /// The types that most elements of arrays and values of dictionaries are of, without a container.
    @inline(__always)
    private func scalar<T>(_ type: T.Type, _ value: JSONBValue) -> T? {
        if type == String.self { return String(jsonb: value, in: storage).map { unsafeBitCast($0, to: T.self) } }
        if type == Int.self { return Int(jsonb: value, in: storage).map { unsafeBitCast($0, to: T.self) } }
        if type == Double.self { return Double(jsonb: value, in: storage).map { unsafeBitCast($0, to: T.self) } }
        if type == Bool.self { return Bool(jsonb: value, in: storage).map { unsafeBitCast($0, to: T.self) } }
        return nil
    }

    /// A value of any type, at the end of the path.
    func unwrap<T: Decodable>(_ type: T.Type, _ value: JSONBValue, depth: Int) throws -> T {
        let decoder = JSONBValueDecoder(self, value, depth: depth, keepsKeys: options.keepsKeys(of: type))
        if type == Date.self { return unsafeBitCast(try options.date(decoder), to: T.self) }
        if type == Data.self { return unsafeBitCast(try options.data(decoder), to: T.self) }
        if type == URL.self { return unsafeBitCast(try decoder.url(), to: T.self) }
        if type == Decimal.self { return unsafeBitCast(try decoder.decimal(), to: T.self) }
        return try T(from: decoder)
    }

    // MARK: Keys

    /// The value of a key of an object.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - moves: whether the next key is looked for behind this one.
    /// - throws: a `DecodingError` when the object is malformed.
    func value(ofKey name: String, in object: JSONBValue, depth: Int, keepsKeys: Bool, moves: Bool) throws
        -> JSONBValue?
    {
        let keys: KeyMatcher = keepsKeys ? KeyMatcher(plain: name) : KeyMatcher(name, options, self, depth)
        let (start, end) = (object.start, object.end)
        while hints.count <= depth { hints.append(0) }
        // All keys from the hint to the end, then those before it.
        let hint = hints[depth]
        let isInside = hint > start && hint < end
        var (position, limit) = (isInside ? hint : start, end)
        var rest = isInside ? hint : start
        while true {
            if position >= limit {
                if rest == start { return nil }
                (position, limit, rest) = (start, rest, start)
            }
            guard let label = storage.value(at: position, before: end), label.type.isText,
                let value = storage.value(at: label.end, before: end)
            else { throw malformed(depth: depth) }
            if keys.match(label, storage) {
                if moves { hints[depth] = value.end }
                return value
            }
            position = value.end
        }
    }

    /// Calls a closure with each key of an object.
    ///
    /// - throws: a `DecodingError` when the object is malformed.
    func forEachKey(in object: JSONBValue, depth: Int, keepsKeys: Bool, _ body: (String) -> Void) throws {
        var position = object.start
        while position < object.end {
            guard let label = storage.value(at: position, before: object.end), label.type.isText,
                let value = storage.value(at: label.end, before: object.end),
                let name = String(jsonb: label, in: storage)
            else { throw malformed(depth: depth) }
            body(keepsKeys ? name : options.key(name, path: path(depth: depth)))
            position = value.end
        }
    }
}

/// Compares the keys of an object with the one that is looked for.
private struct KeyMatcher {
    private var name: String

    /// What keys become before they are compared.
    private let transform: ((String) -> String)?

    init(plain name: String) {
        self.name = name
        transform = nil
    }

    init(_ name: String, _ options: JSONBDecodingOptions, _ context: JSONBContext, _ depth: Int) {
        self.name = name
        transform = options.hasPlainKeys ? nil : { options.key($0, path: context.path(depth: depth)) }
    }

    @inline(__always)
    func match(_ label: JSONBValue, _ storage: JSONBStorage) -> Bool {
        if transform != nil || label.type == .textJ || label.type == .text5 { return matchText(label, storage) }
        let bytes = storage.payload(label)
        let utf8 = name.utf8
        if utf8.count != bytes.count { return false }
        return utf8.withContiguousStorageIfAvailable { name in
            name.isEmpty || bytes.elementsEqual(name)
        } ?? bytes.elementsEqual(utf8)
    }

    /// Keys with escapes, and those that become others.
    private func matchText(_ label: JSONBValue, _ storage: JSONBStorage) -> Bool {
        guard let text = String(jsonb: label, in: storage) else { return false }
        return (transform?(text) ?? text).utf8.elementsEqual(name.utf8)
    }
}

// MARK: - Errors

extension JSONBContext {
    /// Runs a closure where nothing can be thrown. Decoding throws its error in the end.
    @discardableResult
    func noting<T>(_ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch {
            storage.failure = storage.failure ?? error
            return nil
        }
    }

    /// Bytes that are no JSONB.
    func malformed(depth: Int, _ key: (any CodingKey)? = nil) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: path(depth: depth, key), debugDescription: "The bytes are malformed JSONB."))
    }

    func tooDeep(_ depth: Int, _ key: (any CodingKey)? = nil) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: path(depth: depth, key),
                debugDescription: "Arrays and objects are nested more than \(JSONBLimit.depth) levels deep."))
    }

    /// Why an element is not read as a type.
    func failure(_ type: Any.Type, _ value: JSONBValue, depth: Int, _ key: (any CodingKey)? = nil) -> DecodingError {
        let path = path(depth: depth, key)
        if value.type == .null {
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
