/// The type of a JSONB element, stored in the lower four bits of its first byte:
/// <https://sqlite.org/jsonb.html#element_types>.
enum JSONBType: UInt8 {
    case null = 0
    case `true` = 1
    case `false` = 2

    /// Decimal digits.
    case int = 3

    /// Hexadecimal digits, as allowed in JSON5.
    case int5 = 4

    /// A number with a point or an exponent.
    case float = 5

    /// A number with a point or an exponent in JSON5 syntax, which allows a point without digits before or after it.
    case float5 = 6

    /// A string without escapes, which needs none in JSON.
    case text = 7

    /// A string with JSON escapes.
    case textJ = 8

    /// A string with JSON5 escapes.
    case text5 = 9

    /// A string without escapes, which needs escapes in JSON.
    case textRaw = 10

    case array = 11
    case object = 12

    /// The type in a first byte; nil for the three reserved types.
    @inline(__always)
    init?(header: UInt8) {
        self.init(rawValue: header & 0x0F)
    }

    var isText: Bool {
        switch self {
        case .text, .textJ, .text5, .textRaw: true
        default: false
        }
    }

    var isNumber: Bool {
        switch self {
        case .int, .int5, .float, .float5: true
        default: false
        }
    }

    /// Whether the element is null, true or false, without a payload. SQLite would read a payload as the next element.
    @inline(__always) var isLiteral: Bool { rawValue <= JSONBType.false.rawValue }

    /// Whether a string may have escapes.
    var hasEscapes: Bool {
        switch self {
        case .textJ, .text5: true
        default: false
        }
    }

    var isNull: Bool {
        switch self {
        case .null: true
        default: false
        }
    }
}

/// The limits of JSONB.
enum JSONBLimit {
    /// The maximum nesting depth of arrays and objects. SQLite allows 1,000, but Swift decoders need more stack.
    static let depth = 512

    /// The description of an error about a value that is nested too deeply.
    static func description(depth: Int) -> String {
        depth >= self.depth
            ? "Arrays and objects are nested more than \(self.depth) levels deep."
            : """
            Arrays and objects are nested more than \(depth) levels deep, for which the stack of the thread is too small.
            """
    }
}

/// A JSONB element: its type, and the range of its payload.
struct JSONBValue {
    /// The offset of the payload. BLOB values in SQLite aren't larger than 2 GB.
    let offset: UInt32

    /// The size of the payload, in bytes.
    let size: UInt32

    let type: JSONBType

    @inline(__always)
    init(type: JSONBType, offset: Int, size: Int) {
        self.type = type
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.size = UInt32(truncatingIfNeeded: size)
    }

    @inline(__always) var start: Int { Int(offset) }

    /// The offset of the next element.
    @inline(__always) var end: Int { Int(offset) + Int(size) }
}
