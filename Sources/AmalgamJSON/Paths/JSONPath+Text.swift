import AmalgamCore

extension JSONPath: CustomStringConvertible {
    /// The path in SQLite's syntax: `$.address.lines[0]`.
    public var description: String {
        components.reduce(into: "$") { text, component in
            switch component {
            case .key(let key): text += "." + (key.isPlainJSONKey ? key : key.quotedJSONKey)
            case .index(let index) where index < 0: text += "[#-\(index.magnitude)]"
            case .index(let index): text += "[\(index)]"
            case .end: text += "[#]"
            }
        }
    }
}

extension JSONPath {
    /// The path as the right operand of `->>`. A path with one component is written as its key or array index:
    /// `"info" ->> 'country'`, `"tags" ->> 0`.
    ///
    /// SQLite uses an index on such an expression only for queries that contain the same expression. Therefore, equal
    /// paths must generate equal SQL.
    var operand: DatabaseValue {
        switch components.count == 1 ? components[0] : nil {
        case .key(let key) where key.isJSONOperand: key.databaseValue
        case .index(let index): index.databaseValue
        default: description.databaseValue
        }
    }
}

extension JSONPath {
    /// Checks that a path in SQL has no key with U+0000. SQLite compares keys up to this character: an edit of the key
    /// `a\u0000b` would change the value of the key `a`.
    ///
    /// - Throws: `SQLITE_MISUSE` if there is such a key.
    static func checkKeys(of path: DatabaseValue) throws {
        guard case .string(let text) = path.storage, text.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\\") })
        else { return }
        // Without `$`, the text is one key of `->>`, which has no escapes.
        let keys = text.hasPrefix("$") ? (try? JSONPath(parsing: text))?.keys ?? [text] : [text]
        guard let key = keys.first(where: { $0.utf8.contains(0) }) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                SQLite can't find the JSON key \(key.debugDescription) by a path, because the key contains U+0000: \
                decode the JSON, change it in Swift, and store it
                """)
    }

    private var keys: [String] { components.compactMap { if case .key(let key) = $0 { key } else { nil } } }
}

extension String {
    /// Whether the operator `->>` treats the string as a key. The operator quotes keys, but doesn't escape them.
    fileprivate var isJSONOperand: Bool {
        guard let first = utf8.first, first != UInt8(ascii: "$"), first != UInt8(ascii: "[") else { return false }
        return utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// Whether the key needs no quotes in a path.
    fileprivate var isPlainJSONKey: Bool {
        guard let first = utf8.first, !first.isDigit else { return false }
        return utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "_") || ($0 | 0x20).isLetter }
    }

    /// The quoted key. SQLite decodes JSON escapes in it.
    fileprivate var quotedJSONKey: String {
        unicodeScalars.reduce(into: "\"") { text, scalar in
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                text += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        } + "\""
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}

// MARK: - Parsing

extension JSONPath {
    /// Creates a path from a string in SQLite's path syntax, such as the value of ``JSONElement/fullkey``.
    ///
    /// ```swift
    /// try JSONPath(parsing: "$.tags[#-1]")   // ["tags", -1]
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` with the message `bad JSON path` if the string isn't a path.
    public init(parsing text: String) throws {
        var parser = PathParser(text: text)
        components = try parser.path()
    }
}

/// Parses the UTF-8 bytes of a path.
private struct PathParser {
    let text: String
    private var rest: ArraySlice<UInt8>

    init(text: String) {
        self.text = text
        rest = Array(text.utf8)[...]
    }

    mutating func path() throws -> [JSONPath.Component] {
        guard take("$") else { throw failure }
        var components: [JSONPath.Component] = []
        while !rest.isEmpty { components.append(try component()) }
        return components
    }

    private mutating func component() throws -> JSONPath.Component {
        if take("[") { return try index() }
        guard take(".") else { throw failure }
        if take("\"") { return .key(try quotedKey()) }
        let key = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        if key.isEmpty { throw failure }
        rest = rest.dropFirst(key.count)
        return .key(String(decoding: key, as: UTF8.self))
    }

    private mutating func index() throws -> JSONPath.Component {
        let isFromEnd = take("#")
        if isFromEnd, take("]") { return .end }
        if isFromEnd, !take("-") { throw failure }
        let digits = rest.prefix(while: \.isDigit)
        guard let index = Int(String(decoding: digits, as: UTF8.self)) else { throw failure }
        rest = rest.dropFirst(digits.count)
        guard take("]") else { throw failure }
        // `[#-0]` is the position after the last element.
        return isFromEnd && index == 0 ? .end : .index(isFromEnd ? -index : index)
    }

    /// The key up to the closing quote, which is consumed.
    private mutating func quotedKey() throws -> String {
        var key: [UInt8] = []
        var isEscaped = false
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\""), !isEscaped {
                guard let text = key.withUnsafeBytes({ JSONEscapes.unescape($0, isJSON5: true) }) else { throw failure }
                return text
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            key.append(byte)
        }
        throw failure
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private var failure: DatabaseError {
        DatabaseError(message: "bad JSON path: '\(text)'")
    }
}
