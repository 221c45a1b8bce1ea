/// The type of an element of JSONB, in the lower half of its first byte: <https://sqlite.org/jsonb.html#element_types>.
enum JSONBType: UInt8 {
    case null = 0
    case `true` = 1
    case `false` = 2

    /// Decimal digits.
    case int = 3

    /// Hexadecimal digits, by JSON5.
    case int5 = 4

    /// A number with a point or an exponent.
    case float = 5

    /// The same, where JSON5 allows more: no digit before or after the point.
    case float5 = 6

    /// A text that is the same in JSON and in SQL.
    case text = 7

    /// A text with the escapes of JSON.
    case textJ = 8

    /// A text with the escapes of JSON5.
    case text5 = 9

    /// A text without escapes, which JSON would escape.
    case textRaw = 10

    case array = 11
    case object = 12

    /// The type that a first byte says; nil for the three that have no meaning yet.
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

    /// Whether the element is its type and nothing else: one byte. SQLite writes what is behind this byte as if it were the
    /// next element.
    @inline(__always) var isLiteral: Bool { rawValue <= JSONBType.false.rawValue }

    /// Whether a text may have escapes.
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

/// Numbers of JSONB.
enum JSONBLimit {
    /// How deep arrays and objects may be nested. SQLite allows 1,000; a decoder of Swift needs more of the stack.
    static let depth = 512
}

/// An element of JSONB: its type, and where its payload is.
struct JSONBValue {
    /// Where the payload begins. SQLite's blobs are never larger than 2 GB.
    let offset: UInt32

    /// The number of bytes of the payload.
    let size: UInt32

    let type: JSONBType

    @inline(__always)
    init(type: JSONBType, offset: Int, size: Int) {
        self.type = type
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.size = UInt32(truncatingIfNeeded: size)
    }

    @inline(__always) var start: Int { Int(offset) }

    /// Where the next element begins.
    @inline(__always) var end: Int { Int(offset) + Int(size) }
}
