import AmalgamCore
import Foundation

/// Encodes a value as JSONB, in the order in which `encode(to:)` writes its parts.
///
/// Codable encodes depth-first. Therefore, nested values share one encoder, with a stack of open arrays and objects.
/// Each value opens at most one array or object, which is closed when `encode(to:)` of the value returns. A container
/// can be used only while its own array or object is at the top of the stack: otherwise, its methods throw an error.
///
/// Containers that a type requests with `nestedContainer(keyedBy:forKey:)` or a similar method are an exception, and
/// may be used in any order. Each of them has a separate encoder, whose bytes are inserted when the outer array or
/// object is closed. An encoder is used from one thread.
final class JSONBValueEncoder: Encoder {
    /// An open array or object.
    private struct Frame {
        let id: Int
        let type: JSONBType

        /// The offset of its header.
        let start: Int

        /// The number of elements of an array.
        var count = 0

        /// The offset of the last key; -1 before the first key.
        var lastKey = -1

        /// Whether the keys so far are in ascending order.
        var isSorted = true

        /// The encoders of nested containers, and the offsets at which their bytes are inserted.
        var parts: [(position: Int, encoder: JSONBValueEncoder)] = []

        /// The encoders of nested containers, by key. A repeated request for a key returns the same encoder.
        var containers: [ExactString: JSONBValueEncoder] = [:]
    }

    /// The state of an array or object before a write, for a rollback.
    private struct Mark {
        /// The index of the array or object in the stack.
        let index: Int
        let position: Int
        let pathCount: Int
        let lastKey: Int
        let isSorted: Bool
    }

    /// The value that is being encoded.
    private struct Value {
        let id: Int

        /// The number of open arrays and objects around it.
        let level: Int

        /// Its offset.
        let start: Int

        /// Whether its keys are data, and aren't converted.
        let keepsKeys: Bool
    }

    let writer = JSONBWriter()
    let options: JSONBEncodingOptions

    @exclusivity(unchecked)  // As for the properties below: encoders are used from one thread, and not reentrantly.
    private var frames: [Frame] = []

    @exclusivity(unchecked)
    private var value = Value(id: 0, level: 0, start: 0, keepsKeys: false)

    @exclusivity(unchecked)
    private var path: [any CodingKey]

    @exclusivity(unchecked)
    private var lastID = 0

    @exclusivity(unchecked)
    private var stack = StackSpace()

    /// The error to throw if this encoder is used. It could not be thrown when the encoder was requested.
    private let refusal: EncodingError?

    init(_ options: JSONBEncodingOptions, path: [any CodingKey] = [], refusal: EncodingError? = nil) {
        self.options = options
        self.path = path
        self.refusal = refusal
    }

    var codingPath: [any CodingKey] { path }

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    /// Closes all open arrays and objects.
    ///
    /// - Throws: The `EncodingError` of this encoder, or of the encoder of a nested container.
    private func finish() throws {
        if let refusal { throw refusal }
        if writer.count == 0 && frames.isEmpty { open(.object) }
        while !frames.isEmpty { try close() }
    }

    // MARK: Values

    /// Appends an encoded value.
    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        if T.self == String.self { return writer.write(text: sameTypeCast(value, to: String.self)) }
        if T.self == Int.self { return writer.write(integer: sameTypeCast(value, to: Int.self)) }
        if T.self == Double.self { return try write(float: sameTypeCast(value, to: Double.self)) }
        if T.self == Bool.self { return writer.write(sameTypeCast(value, to: Bool.self) ? .true : .false) }
        try encodeAny(value)
    }

    private func encodeAny<T: Encodable>(_ value: T) throws {
        try nesting(keepsKeys: options.keepsKeys(of: T.self)) {
            if T.self == Date.self { return try options.encode(sameTypeCast(value, to: Date.self), self) }
            if T.self == Data.self { return try options.encode(sameTypeCast(value, to: Data.self), self) }
            if T.self == URL.self { return writer.write(text: sameTypeCast(value, to: URL.self).absoluteString) }
            if T.self == Decimal.self { return try write(decimal: sameTypeCast(value, to: Decimal.self)) }
            try value.encode(to: self)
        }
    }

    /// Encodes a value with a closure.
    func nesting(keepsKeys: Bool = false, _ body: () throws -> Void) throws {
        if path.count > JSONBLimit.depth { throw tooDeep }
        if path.count > StackSpace.checkedDepth, !stack.hasSpace() {
            throw invalid(path, JSONBLimit.description(depth: path.count - 1))
        }
        let outer = value
        lastID += 1
        value = Value(id: lastID, level: frames.count, start: writer.count, keepsKeys: keepsKeys)
        defer { value = outer }
        try body()
        while frames.count > value.level { try close() }
        // A type that encodes nothing becomes an empty object.
        if writer.count == value.start { writer.write(.object) }
    }

    func write<Float: JSONBFloat>(float: Float) throws {
        if float.isFinite { return writer.write(finite: "\(float)") }
        guard let text = options.text(ofNonConforming: float) else {
            throw invalid(float, "JSON has no word for \(float).")
        }
        writer.write(text: text)
    }

    private func write(decimal: Decimal) throws {
        if decimal.isNaN { throw invalid(decimal, "JSON has no word for NaN.") }
        let text = decimal.description
        writer.write(text.contains(".") ? .float : .int, number: text)
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            JSONBKeyedEncoding<Key>(encoder: self, id: container(.object), keepsKeys: value.keepsKeys))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONBUnkeyedEncoding(encoder: self, id: container(.array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONBSingleEncoding(encoder: self, id: refusal == nil ? value.id : -1)
    }

    /// Opens the array or object of the current value, unless it is already open.
    ///
    /// - Returns: The identifier of the array or object; 0 if it can't be opened. A container with the identifier 0
    ///   throws an error for each value. An array or object can't be opened if the value is nested too deeply, if the
    ///   value has already been encoded differently, or if `refusal` isn't nil.
    private func container(_ type: JSONBType) -> Int {
        if refusal != nil { return 0 }
        if frames.count > value.level {
            let frame = frames[value.level]
            return frames.count == value.level + 1 && frame.type == type ? frame.id : 0
        }
        return writer.count == value.start && frames.count < 2 * JSONBLimit.depth ? open(type) : 0
    }

    @discardableResult
    private func open(_ type: JSONBType) -> Int {
        lastID += 1
        frames.append(Frame(id: lastID, type: type, start: writer.open()))
        return lastID
    }

    private func close() throws {
        let frame = frames.removeLast()
        if !frame.parts.isEmpty {
            for part in frame.parts { try part.encoder.finish() }
            writer.insert(frame.parts.map { ($0.position, $0.encoder.writer) })
        }
        if !frame.isSorted { writer.sortKeys(from: frame.start + 1) }
        writer.close(frame.type, at: frame.start)
    }

    // MARK: Parts of containers

    /// Checks that a container is the innermost open one, and belongs to the current value.
    @inline(__always)
    private func check(_ id: Int) throws {
        if frames.count <= value.level || frames[frames.count - 1].id != id { throw misused }
    }

    /// Checks that nothing has been written for a value.
    func checkValue(_ id: Int) throws {
        if value.id != id || frames.count != value.level || writer.count != value.start { throw misused }
    }

    /// Writes a key of an object. The caller must write the value.
    @inline(__always)
    func write(key: some CodingKey, of id: Int, keepsKeys: Bool) throws {
        try check(id)
        let start = writer.count
        writer.write(key: keepsKeys || options.hasPlainKeys ? key.stringValue : options.key(key, path: path))
        if options.sortsKeys { noteKey(at: start) }
    }

    /// Writes a key of an object, and a value with a closure. If the closure throws, both are removed.
    @inline(__always)
    func write(key: some CodingKey, of id: Int, keepsKeys: Bool, _ body: () throws -> Void) throws {
        try check(id)
        let mark = mark()
        try write(key: key, of: id, keepsKeys: keepsKeys)
        path.append(key)
        do {
            try body()
            path.removeLast()
        } catch {
            rollBack(to: mark)
            throw error
        }
    }

    private func noteKey(at start: Int) {
        let index = frames.count - 1
        let last = frames[index].lastKey
        if last >= 0, frames[index].isSorted { frames[index].isSorted = writer.bytes.label(at: last, precedes: start) }
        frames[index].lastKey = start
    }

    /// Counts an element of an array. The caller must write the element.
    @inline(__always)
    func countElement(of id: Int) throws {
        try check(id)
        frames[frames.count - 1].count += 1
    }

    /// Writes an element of an array with a closure. If the closure throws, the element is removed.
    @inline(__always)
    func writeElement(of id: Int, _ body: () throws -> Void) throws {
        try check(id)
        let mark = mark()
        path.append(JSONBKey(index: frames[mark.index].count))
        do {
            try body()
            path.removeLast()
            frames[mark.index].count += 1
        } catch {
            rollBack(to: mark)
            throw error
        }
    }

    @inline(__always)
    private func mark() -> Mark {
        let index = frames.count - 1
        return Mark(
            index: index, position: writer.count, pathCount: path.count, lastKey: frames[index].lastKey,
            isSorted: frames[index].isSorted)
    }

    /// Removes the bytes that were written to an array or object after a mark.
    private func rollBack(to mark: Mark) {
        writer.removeBytes(from: mark.position)
        path.removeLast(path.count - mark.pathCount)
        frames.removeLast(frames.count - 1 - mark.index)
        frames[mark.index].lastKey = mark.lastKey
        frames[mark.index].isSorted = mark.isSorted
    }

    /// The number of elements of an array.
    func elementCount(of id: Int) -> Int { frames.last { $0.id == id }?.count ?? 0 }

    /// An encoder of the value for a key. It may be used until the container is closed.
    func part(key: some CodingKey, of id: Int, keepsKeys: Bool) -> JSONBValueEncoder {
        part(of: id, key) { try write(key: key, of: id, keepsKeys: keepsKeys) }
    }

    /// Returns an encoder of the array or object for a key, for use until the outer container is closed. If a class and
    /// its superclass request containers for the same key, both receive the same encoder.
    func container(
        _ type: JSONBType, key: some CodingKey, of id: Int, keepsKeys: Bool
    ) -> JSONBValueEncoder {
        let name = key.stringValue
        if let frame = frames.last, frame.id == id, let known = frame.containers[ExactString(name)], known.isOpen(type)
        {
            return known
        }
        let encoder = part(key: key, of: id, keepsKeys: keepsKeys)
        if encoder.refusal == nil { frames[frames.count - 1].containers[ExactString(name)] = encoder }
        return encoder
    }

    /// Whether the value is an open array or object of a type, and no array or object inside is open.
    private func isOpen(_ type: JSONBType) -> Bool { frames.count == 1 && frames[0].type == type }

    /// An encoder of the next element. It may be used until the container is closed.
    func partOfArray(of id: Int) -> JSONBValueEncoder {
        part(of: id, JSONBKey(index: elementCount(of: id))) { try countElement(of: id) }
    }

    /// Returns an encoder of a nested value. The bytes of the nested value are inserted after the key that the closure
    /// `begin` writes, or as the next element of an array.
    ///
    /// This method can't throw. If the outer container isn't at the top of the stack, the returned encoder throws an
    /// error when it is used. If the nesting is too deep, the error is thrown when the returned encoder is used, or
    /// when the outer container is closed.
    private func part(of id: Int, _ key: some CodingKey, _ begin: () throws -> Void) -> JSONBValueEncoder {
        if refusal != nil { return self }
        let partPath = path + [key]
        do {
            try begin()
            let refusal = partPath.count > JSONBLimit.depth ? tooDeep : nil
            let encoder = JSONBValueEncoder(options, path: partPath, refusal: refusal)
            frames[frames.count - 1].parts.append((writer.count, encoder))
            return encoder
        } catch {
            return JSONBValueEncoder(options, path: partPath, refusal: misused)
        }
    }

    // MARK: Errors

    func invalid(_ value: Any, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: description))
    }

    private var tooDeep: EncodingError {
        invalid(path, JSONBLimit.description(depth: JSONBLimit.depth))
    }

    private var misused: EncodingError {
        refusal
            ?? invalid(
                path,
                "A value is encoded once, into one container, which is of no use while another value is being encoded.")
    }
}
