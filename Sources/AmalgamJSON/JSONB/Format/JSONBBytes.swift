import Foundation

/// A pointer to bytes of JSONB: <https://sqlite.org/jsonb.html#the_jsonb_format>. The owner of the bytes determines how
/// long they are valid.
struct JSONBBytes {
    let start: UnsafeRawPointer
    let count: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address.
        start = bytes.baseAddress ?? UnsafeRawPointer(StaticString("").utf8Start)
        count = bytes.count
    }

    /// The element at an offset; nil if it is malformed, or extends beyond the end.
    @inline(__always)
    func value(at offset: Int, before end: Int) -> JSONBValue? {
        guard offset < end else { return nil }
        let byte = start.load(fromByteOffset: offset, as: UInt8.self)
        guard let type = JSONBType(header: byte) else { return nil }
        let size = Int(byte >> 4)
        if size > 11 { return largeValue(type, at: offset, before: end) }
        guard offset + 1 + size <= end, size == 0 || !type.isLiteral else { return nil }
        return JSONBValue(type: type, offset: offset + 1, size: size)
    }

    /// The element with a size in the next 1, 2, 4 or 8 bytes, most significant byte first.
    private func largeValue(_ type: JSONBType, at offset: Int, before end: Int) -> JSONBValue? {
        let sizeBytes = 1 << (Int(start.load(fromByteOffset: offset, as: UInt8.self) >> 4) - 12)
        let payload = offset + 1 + sizeBytes
        guard payload <= end, !type.isLiteral else { return nil }
        var size: UInt64 = 0
        for index in offset + 1..<payload {
            size = size << 8 | UInt64(start.load(fromByteOffset: index, as: UInt8.self))
        }
        guard size <= UInt64(end - payload) else { return nil }
        return JSONBValue(type: type, offset: payload, size: Int(size))
    }

    /// The payload of an element.
    @inline(__always)
    func payload(_ value: JSONBValue) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + value.start, count: Int(value.size))
    }

    // MARK: Keys

    /// Whether a key without escapes is equal to a name.
    @inline(__always)
    func equals(_ label: JSONBValue, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard Int(label.size) == name.count else { return false }
        guard let name = name.baseAddress else { return true }
        return memcmp(start + label.start, name, Int(label.size)) == 0
    }

    /// Whether a key without escapes precedes another one in byte order.
    func label(_ first: JSONBValue, precedes second: JSONBValue) -> Bool {
        let size = min(first.size, second.size)
        let order = memcmp(start + first.start, start + second.start, Int(size))
        return order == 0 ? first.size < second.size : order < 0
    }

    /// Whether the key at one offset precedes the key at another offset.
    func label(at first: Int, precedes second: Int) -> Bool {
        guard let first = value(at: first, before: count), let second = value(at: second, before: count) else {
            return false
        }
        return label(first, precedes: second)
    }
}
