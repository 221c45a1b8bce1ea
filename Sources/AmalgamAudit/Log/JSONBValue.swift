internal import AmalgamCore
internal import CAmalgam
internal import Foundation

/// A JSONB value of the log: <https://sqlite.org/jsonb.html>.
///
/// Only the part of JSONB that log entries use is supported. `shims/recorder.h` encodes the keys in the log, and this
/// type encodes the keys for which the log is searched. Both must produce the same bytes, because SQL compares the
/// bytes of keys.
indirect enum JSONBValue: Equatable {
    case null
    case bool(Bool)
    case number(DatabaseValue)
    case text(String)
    case array([JSONBValue])
    /// The members, in order.
    case object([(name: String, value: JSONBValue)])

    static func == (lhs: JSONBValue, rhs: JSONBValue) -> Bool { lhs.bytes == rhs.bytes }

    /// The database value of a scalar or of `{"blob": "00FF"}`; nil for all other values.
    var databaseValue: DatabaseValue? {
        switch self {
        case .null: .null
        case .number(let number): number
        case .text(let text): text.databaseValue
        case .object(let members): Self.blob(members)
        case .bool, .array: nil
        }
    }

    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64, .double: self = .number(value)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .object([("blob", .text(data.hexadecimal))])
        }
    }

    private static func blob(_ members: [(name: String, value: JSONBValue)]) -> DatabaseValue? {
        guard members.count == 1, members[0].name == "blob", case .text(let digits) = members[0].value else {
            return nil
        }
        return Data(hexadecimal: digits)?.databaseValue
    }
}

// MARK: - Reading

extension JSONBValue {
    /// Reads one element. The result is nil if the bytes aren't exactly one supported element.
    init?(_ data: Data) {
        var reader = JSONBReader(bytes: [UInt8](data))
        guard let value = reader.value(), reader.isAtEnd else { return nil }
        self = value
    }
}

private struct JSONBReader {
    let bytes: [UInt8]
    var position = 0
    /// The number of arrays and objects around the current element.
    var depth = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func value() -> JSONBValue? {
        guard let (type, count) = head(), count <= bytes.count - position, depth < 16 else { return nil }
        let end = position + count
        depth += 1
        defer { depth -= 1 }
        switch type {
        case 0: return count == 0 ? .null : nil
        case 1, 2: return count == 0 ? .bool(type == 1) : nil
        case 3: return Int64(text(to: end)).map { .number($0.databaseValue) }
        case 5: return real(text(to: end)).map { .number($0.databaseValue) }
        case 7, 10: return .text(text(to: end))
        case 11: return elements(to: end).map { .array($0) }
        case 12: return elements(to: end).flatMap(Self.object)
        default: return nil
        }
    }

    private mutating func head() -> (type: UInt8, count: Int)? {
        guard position < bytes.count else { return nil }
        let (type, size) = (bytes[position] & 15, Int(bytes[position] >> 4))
        position += 1
        if size <= 11 { return (type, size) }
        let width = 1 << (size - 12)
        guard width <= 4, width <= bytes.count - position else { return nil }
        let count = bytes[position..<(position + width)].reduce(0) { $0 << 8 | Int($1) }
        position += width
        return (type, count)
    }

    private mutating func text(to end: Int) -> String {
        defer { position = end }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    private func real(_ text: String) -> Double? {
        switch text {
        case "9e999": .infinity
        case "-9e999": -.infinity
        default: Double(text)
        }
    }

    private mutating func elements(to end: Int) -> [JSONBValue]? {
        var elements: [JSONBValue] = []
        while position < end {
            guard let element = value() else { return nil }
            elements.append(element)
        }
        return position == end ? elements : nil
    }

    private static func object(_ elements: [JSONBValue]) -> JSONBValue? {
        guard elements.count.isMultiple(of: 2) else { return nil }
        var members: [(name: String, value: JSONBValue)] = []
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard case .text(let name) = elements[index] else { return nil }
            members.append((name, elements[index + 1]))
        }
        return .object(members)
    }
}

// MARK: - Writing

extension JSONBValue {
    var bytes: [UInt8] {
        switch self {
        case .null: [0]
        case .bool(let isTrue): [isTrue ? 1 : 2]
        case .number(let number): Self.numberBytes(number)
        case .text(let text): Self.element(10, Array(text.utf8))
        case .array(let elements): Self.container(11, elements.flatMap(\.bytes))
        case .object(let members):
            if case .text(let digits)? = members.first?.value, members.count == 1, members[0].name == "blob" {
                Self.container(12, Self.element(7, Array("blob".utf8)) + Self.element(7, Array(digits.utf8)))
            } else {
                Self.container(12, members.flatMap { Self.element(10, Array($0.name.utf8)) + $0.value.bytes })
            }
        }
    }

    private static func numberBytes(_ number: DatabaseValue) -> [UInt8] {
        switch number.storage {
        case .int64(let integer): element(3, Array(String(integer).utf8))
        case .double(let double): element(5, Array(double.recordedDigits.utf8))
        default: [0]
        }
    }

    private static func element(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        if payload.count <= 11 { return [UInt8(payload.count) << 4 | type] + payload }
        return container(type, payload)
    }

    /// An element whose size doesn't fit into the first byte.
    private static func container(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        if count <= 0xFF { return [0xC0 | type, UInt8(count)] + payload }
        if count <= 0xFFFF { return [0xD0 | type, UInt8(count >> 8), UInt8(count & 0xFF)] + payload }
        return [0xE0 | type] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + payload
    }
}

extension Data {
    fileprivate var hexadecimal: String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    fileprivate init?(hexadecimal: String) {
        let digits = hexadecimal.utf8.map { digit -> UInt8? in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46: digit - 0x41 + 10
            default: nil
            }
        }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! })
    }
}

extension Double {
    /// The digits that represent the number in recorded changes.
    var recordedDigits: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AMALGAM_RECORDED_REAL_SIZE)) { digits in
            amalgam_recorder_format_real(self, digits.baseAddress!)
            return String(cString: digits.baseAddress!)
        }
    }
}
