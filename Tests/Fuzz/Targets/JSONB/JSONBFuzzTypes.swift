import Foundation

/// Any JSON value.
indirect enum Tree: Codable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([Tree])
    case object([String: Tree], keyCount: Int)

    init(from decoder: any Decoder) throws {
        if let keyed = try? decoder.container(keyedBy: Name.self) {
            let keys = keyed.allKeys
            var object: [String: Tree] = [:]
            for key in keys { object[key.stringValue] = try keyed.decode(Tree.self, forKey: key) }
            self = .object(object, keyCount: keys.count)
        } else if var unkeyed = try? decoder.unkeyedContainer() {
            var array: [Tree] = []
            while !unkeyed.isAtEnd { array.append(try unkeyed.decode(Tree.self)) }
            self = .array(array)
        } else {
            self = try Self.single(decoder.singleValueContainer())
        }
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> Tree {
        if container.decodeNil() { return .null }
        if let bool = try? container.decode(Bool.self) { return .bool(bool) }
        if let string = try? container.decode(String.self) { return .string(string) }
        // Foundation decodes integers as Double, and accepts numbers that are nearly integers.
        let number = try container.decode(Double.self)
        if number.magnitude > 0x1p53 || number.rounded() != number { return .number(number) }
        let integer = Int64(number)
        if let exact = try? container.decode(Int64.self), exact != integer { fatalError("\(exact) is \(number)") }
        return .integer(integer)
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object, _):
            var container = encoder.container(keyedBy: Name.self)
            for (key, value) in object { try container.encode(value, forKey: Name(stringValue: key)) }
        case .array(let array):
            var container = encoder.unkeyedContainer()
            for value in array { try container.encode(value) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let bool): try container.encode(bool)
            case .integer(let integer): try container.encode(integer)
            case .number(let number): try container.encode(number)
            case .string(let string): try container.encode(string)
            default: try container.encodeNil()
            }
        }
    }

    /// Whether an object has a key twice: the value that is used is unspecified, and Foundation drops the others.
    var hasAKeyTwice: Bool {
        switch self {
        case .object(let object, let keyCount): object.count < keyCount || object.values.contains(where: \.hasAKeyTwice)
        case .array(let array): array.contains(where: \.hasAKeyTwice)
        default: false
        }
    }

    var depth: Int {
        switch self {
        case .object(let object, _): 1 + (object.values.map(\.depth).max() ?? 0)
        case .array(let array): 1 + (array.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}

struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

struct Person: Codable {
    enum Kind: String, Codable { case human, robot }

    enum Contact: Codable {
        case mail(String)
        case phone(number: Int, isMobile: Bool)
    }

    var a: String?
    var b: Int?
    var c: [Double]?
    var d: Bool?
    var e: Kind?
    var f: [Contact]?
    var g: [String: Person]?
    var h: Float?
    var firstName: UInt8?
}

final class Node: Codable {
    var a: Node?
    var b: [Node]?
}

struct Foundations: Codable {
    var a: Date?
    var b: Data?
    var c: URL?
    var d: Decimal?
    var e: UUID?
    var f: Int128?
}

/// Decodes its containers by custom code.
struct ByHand: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for key in container.allKeys {
            _ = container.contains(key)
            if try container.decodeNil(forKey: key) { continue }
            if var list = try? container.nestedUnkeyedContainer(forKey: key) {
                _ = list.count
                while !list.isAtEnd {
                    if try list.decodeNil() { continue }
                    if (try? list.nestedContainer(keyedBy: Name.self)) != nil { continue }
                    if (try? list.nestedUnkeyedContainer()) != nil { continue }
                    _ = try list.superDecoder()
                }
            } else if let object = try? container.nestedContainer(keyedBy: Name.self, forKey: key) {
                _ = object.allKeys
                _ = try? ByHand(from: object.superDecoder())
            } else {
                _ = try? Tree(from: container.superDecoder(forKey: key))
            }
        }
    }
}

/// A decoder that is used after decoding has ended.
struct Kept: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
