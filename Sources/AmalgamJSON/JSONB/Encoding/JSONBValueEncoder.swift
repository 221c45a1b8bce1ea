import AmalgamCore
import Foundation

/// Writes the elements of one value, one after the other, as `encode(to:)` gives them.
///
/// Codable encodes depth first. So one encoder serves all values, with a stack of the arrays and objects that are open: the
/// value at work may open one, and what it opened is closed when its `encode(to:)` returns. Containers know the number of
/// what they write to. One that is used at another time throws.
///
/// Containers that a type makes by hand inside of others may be used in any order. They have an encoder of their own,
/// whose bytes go to their place when the container around is closed.
final class JSONBValueEncoder: Encoder {
    /// An array or object that is not complete.
    private struct Frame {
        let id: Int
        let type: JSONBType

        /// Where it begins.
        let start: Int

        /// How many elements an array has.
        var count = 0

        /// Where the last key begins; -1 before the first one.
        var lastKey = -1

        /// Whether each key comes after the one before.
        var isSorted = true

        /// Encoders of containers inside, and where their bytes go.
        var parts: [(position: Int, encoder: JSONBValueEncoder)] = []

        /// The encoders of containers inside, by their keys: who asks for one again goes on with it.
        var containers: [String: JSONBValueEncoder] = [:]
    }

    /// What an array or object was before something was written to it.
    private struct Mark {
        /// The number of the array or object in the stack.
        let index: Int
        let position: Int
        let pathCount: Int
        let lastKey: Int
        let isSorted: Bool
    }

    /// The value that is being encoded.
    private struct Value {
        let id: Int

        /// How many arrays and objects are open around it.
        let level: Int

        /// Where it begins.
        let start: Int

        /// Whether keys are data.
        let keepsKeys: Bool
    }

    let writer = JSONBWriter()
    let options: JSONBEncodingOptions

    @exclusivity(unchecked)  // As what follows: encoders are used from one thread, and nothing here calls itself.
    private var frames: [Frame] = []

    @exclusivity(unchecked)
    private var value = Value(id: 0, level: 0, start: 0, keepsKeys: false)

    @exclusivity(unchecked)
    private var path: [any CodingKey]

    @exclusivity(unchecked)
    private var lastID = 0

    /// Why nothing may be written, where nothing could be thrown.
    private let refusal: EncodingError?

    init(_ options: JSONBEncodingOptions, path: [any CodingKey] = [], refusal: EncodingError? = nil) {
        self.options = options
        self.path = path
        self.refusal = refusal
    }

    var codingPath: [any CodingKey] { path }

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    /// Ends everything that is open.
    ///
    /// - throws: an `EncodingError` when the encoder was refused, or one inside.
    private func finish() throws {
        if let refusal { throw refusal }
        if writer.count == 0 && frames.isEmpty { open(.object) }
        while !frames.isEmpty { try close() }
    }

    // MARK: Values

    /// Encodes a value at the end of what is written.
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

    /// Encodes a value by a closure.
    func nesting(keepsKeys: Bool = false, _ body: () throws -> Void) throws {
        if path.count > JSONBLimit.depth { throw tooDeep }
        let outer = value
        lastID += 1
        value = Value(id: lastID, level: frames.count, start: writer.count, keepsKeys: keepsKeys)
        defer { value = outer }
        try body()
        while frames.count > value.level { try close() }
        // A type that encodes nothing is an object without keys.
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

    /// The array or object that the value is.
    ///
    /// - Returns: its number; 0 for a value that is something else already.
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

    /// Checks that a container is the one that is written to, and is that of the value at work.
    @inline(__always)
    private func check(_ id: Int) throws {
        if frames.count <= value.level || frames[frames.count - 1].id != id { throw misused }
    }

    /// Checks that nothing was written for a value.
    func checkValue(_ id: Int) throws {
        if value.id != id || frames.count != value.level || writer.count != value.start { throw misused }
    }

    /// Writes a key of an object. The value follows, whatever happens.
    @inline(__always)
    func write(key: some CodingKey, of id: Int, keepsKeys: Bool) throws {
        try check(id)
        let start = writer.count
        writer.write(key: keepsKeys || options.hasPlainKeys ? key.stringValue : options.key(key, path: path))
        if options.sortsKeys { noteKey(at: start) }
    }

    /// Writes a key of an object, and a value by a closure. When it throws, neither is there.
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

    /// Counts an element of an array. The element follows, whatever happens.
    @inline(__always)
    func countElement(of id: Int) throws {
        try check(id)
        frames[frames.count - 1].count += 1
    }

    /// Writes an element of an array by a closure. When it throws, the element is not there.
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

    /// Takes back what was written to an array or object.
    private func rollBack(to mark: Mark) {
        writer.removeBytes(from: mark.position)
        path.removeLast(path.count - mark.pathCount)
        frames.removeLast(frames.count - 1 - mark.index)
        frames[mark.index].lastKey = mark.lastKey
        frames[mark.index].isSorted = mark.isSorted
    }

    /// The number of elements of an array.
    func elementCount(of id: Int) -> Int { frames.last { $0.id == id }?.count ?? 0 }

    /// An encoder of the value behind a key, which may be used until the container is closed.
    func part(key: some CodingKey, of id: Int, keepsKeys: Bool) -> JSONBValueEncoder {
        part(of: id, key) { try write(key: key, of: id, keepsKeys: keepsKeys) }
    }

    /// An encoder of the array or object behind a key, which may be used until the container is closed. A subclass finds
    /// the one of its superclass.
    func container(
        _ type: JSONBType, key: some CodingKey, of id: Int, keepsKeys: Bool
    ) -> JSONBValueEncoder {
        let name = key.stringValue
        if let frame = frames.last, frame.id == id, let known = frame.containers[name], known.isOpen(type) {
            return known
        }
        let encoder = part(key: key, of: id, keepsKeys: keepsKeys)
        if encoder.refusal == nil { frames[frames.count - 1].containers[name] = encoder }
        return encoder
    }

    /// Whether what is encoded is an array or object, which is open, and nothing inside of it.
    private func isOpen(_ type: JSONBType) -> Bool { frames.count == 1 && frames[0].type == type }

    /// An encoder of the next element, which may be used until the container is closed.
    func partOfArray(of id: Int) -> JSONBValueEncoder {
        part(of: id, JSONBKey(index: elementCount(of: id))) { try countElement(of: id) }
    }

    /// An encoder whose bytes go behind what a closure writes.
    ///
    /// Nothing can be thrown here. Who may not write gets an encoder that throws when it is written to. One that is too
    /// deep throws in any case, at the latest when the container is closed; what is inside of it is not deeper.
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
        invalid(path, "Arrays and objects are nested more than \(JSONBLimit.depth) levels deep.")
    }

    private var misused: EncodingError {
        refusal
            ?? invalid(
                path,
                "A value is encoded once, into one container, which is of no use while another value is being encoded.")
    }
}
