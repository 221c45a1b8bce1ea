/// Generates the same numbers in every run: SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Any JSON value.
indirect enum AnyJSON: Codable, Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([AnyJSON])
    case object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        if let keyed = try? decoder.container(keyedBy: AnyKey.self) {
            var object: [String: AnyJSON] = [:]
            for key in keyed.allKeys { object[key.stringValue] = try keyed.decode(AnyJSON.self, forKey: key) }
            self = .object(object)
        } else if var unkeyed = try? decoder.unkeyedContainer() {
            var array: [AnyJSON] = []
            while !unkeyed.isAtEnd { array.append(try unkeyed.decode(AnyJSON.self)) }
            self = .array(array)
        } else {
            self = try Self.single(decoder.singleValueContainer())
        }
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> AnyJSON {
        if container.decodeNil() { return .null }
        if let bool = try? container.decode(Bool.self) { return .bool(bool) }
        if let string = try? container.decode(String.self) { return .string(string) }
        if let int = try? container.decode(Int64.self) { return .int(int) }
        return .double(try container.decode(Double.self))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (key, value) in object { try container.encode(value, forKey: AnyKey(key)) }
        case .array(let array):
            var container = encoder.unkeyedContainer()
            for value in array { try container.encode(value) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let bool): try container.encode(bool)
            case .int(let int): try container.encode(int)
            case .double(let double): try container.encode(double)
            case .string(let string): try container.encode(string)
            default: try container.encodeNil()
            }
        }
    }
}

struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(_ key: String) { stringValue = key }
    init(stringLiteral key: String) { stringValue = key }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension AnyJSON {
    /// Returns a random value, nested less deep than a number of levels.
    static func random(depth: Int, using numbers: inout SeededNumbers) -> AnyJSON {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &numbers) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &numbers))
        case 2: return .int(Int64.random(in: -1000...1000, using: &numbers))
        case 3: return .int(Int64(bitPattern: numbers.next()))
        case 4: return .double(randomDouble(using: &numbers))
        case 5, 6: return .string(randomString(using: &numbers))
        case 7:
            let count = Int.random(in: 0..<6, using: &numbers)
            return .array((0..<count).map { _ in random(depth: depth - 1, using: &numbers) })
        default:
            var object: [String: AnyJSON] = [:]
            for _ in 0..<Int.random(in: 0..<6, using: &numbers) {
                object[randomString(using: &numbers)] = random(depth: depth - 1, using: &numbers)
            }
            return .object(object)
        }
    }

    /// Returns a number that isn't an integer: a type that tries integers first would decode a number without fraction
    /// as one.
    private static func randomDouble(using numbers: inout SeededNumbers) -> Double {
        while true {
            let double =
                Bool.random(using: &numbers)
                ? Double(Int.random(in: -1_000_000...1_000_000, using: &numbers)) / 64
                : Double(bitPattern: numbers.next())
            if double.isFinite, double.rounded() != double { return double }
        }
    }

    private static let pieces = [
        "a", "key", "\"", "\\", "\n", "\u{1}", "é", "日本", "👩‍👩‍👧", "'", "/", ".", "[0]", "$", " ", "\u{7F}", "\u{2028}",
        "0123456789", String(repeating: "x", count: 250), "\\u0041", "<&>", "\t\r\u{8}\u{c}",
    ]

    static func randomString(using numbers: inout SeededNumbers) -> String {
        (0..<Int.random(in: 0..<5, using: &numbers)).map { _ in pieces.randomElement(using: &numbers)! }.joined()
    }
}
