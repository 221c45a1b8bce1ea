import Foundation

/// A growing buffer of JSONB: <https://sqlite.org/jsonb.html#the_jsonb_format>.
///
/// The header of an element contains its size. For an array or object, the size is only known at the end. Therefore,
/// one byte is reserved for the header, and the bytes of the element are moved if the header is larger. Headers are as
/// short as those that SQLite writes.
final class JSONBWriter {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int

    @exclusivity(unchecked)  // Encoders are used from one thread.
    private(set) var count = 0

    init() {
        capacity = 256
        start = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { start.deallocate() }

    /// A copy of the bytes.
    var data: Data { Data(bytes: start, count: count) }

    var bytes: JSONBBytes { JSONBBytes(UnsafeRawBufferPointer(start: start, count: count)) }

    /// Ensures capacity for more bytes.
    @inline(__always)
    private func reserve(_ size: Int) {
        if count + size > capacity { grow(size) }
    }

    private func grow(_ size: Int) {
        capacity = max(2 * capacity, count + size)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        larger.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = larger
    }

    // MARK: Elements

    /// Writes an element of one byte.
    @inline(__always)
    func write(_ type: JSONBType) {
        reserve(1)
        start.storeBytes(of: type.rawValue, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Writes an element.
    @inline(__always)
    func write(_ type: JSONBType, _ payload: UnsafeRawBufferPointer) {
        reserve(9 + payload.count)
        let headerSize = Self.headerSize(payload.count)
        writeHeader(type, payload.count, at: count)
        if let source = payload.baseAddress {
            (start + count + headerSize).copyMemory(from: source, byteCount: payload.count)
        }
        count += headerSize + payload.count
    }

    /// Writes a string.
    func write(text: String) {
        var text = text
        text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            write(JSONEscapes.areNeeded(in: bytes) ? .textRaw : .text, bytes)
        }
    }

    /// Writes a key of an object.
    ///
    /// A key that needs JSON escapes is written with the escapes, as SQLite does. `json_each` copies the bytes of the
    /// key to its column `fullkey`: without the escapes, `fullkey` would be malformed, or the path of a different key.
    func write(key: String) {
        var key = key
        key.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            if !JSONEscapes.areNeeded(in: bytes) { return write(.text, bytes) }
            JSONEscapes.escape(bytes).withUnsafeBytes { write(.textJ, $0) }
        }
    }

    /// Writes an integer.
    @inline(__always)
    func write(integer: some FixedWidthInteger) {
        write(magnitude: UInt64(truncatingIfNeeded: integer.magnitude), isNegative: integer < 0)
    }

    private func write(magnitude: UInt64, isNegative: Bool) {
        // 20 bytes hold the digits of 64 bits and a sign. They are filled from the end.
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var position = 20
            var rest = magnitude
            repeat {
                position -= 1
                digits[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if isNegative {
                position -= 1
                digits[position] = UInt8(ascii: "-")
            }
            write(.int, UnsafeRawBufferPointer(rebasing: digits[position...]))
        }
    }

    /// Writes an integer with more than 64 bits.
    func write(wideInteger: some FixedWidthInteger) { write(.int, number: String(wideInteger)) }

    /// Writes a finite floating-point number from its description. If the description ends with `.0`, the number is
    /// written as an integer, as in JSON text.
    func write(finite number: String) {
        var number = number
        number.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            let end = bytes.count - 2
            let isInteger = end > 0 && bytes[end] == UInt8(ascii: ".") && bytes[end + 1] == UInt8(ascii: "0")
            if isInteger { write(.int, UnsafeRawBufferPointer(rebasing: bytes[..<end])) } else { write(.float, bytes) }
        }
    }

    /// Writes a number from its digits.
    func write(_ type: JSONBType, number: String) {
        var number = number
        number.withUTF8 { write(type, UnsafeRawBufferPointer($0)) }
    }

    // MARK: Arrays and objects

    /// Begins an element of unknown size.
    ///
    /// - Returns: The offset of the element's header.
    func open() -> Int {
        reserve(1)
        count += 1
        return count - 1
    }

    /// Ends an element, and writes its header.
    func close(_ type: JSONBType, at position: Int) {
        let size = count - position - 1
        let more = Self.headerSize(size) - 1
        if more > 0 { makeRoom(more, at: position + 1) }
        writeHeader(type, size, at: position)
    }

    /// Inserts the bytes of other writers at several positions. Each byte is moved only once.
    ///
    /// - Parameter parts: The writers, in ascending order of position.
    func insert(_ parts: [(position: Int, writer: JSONBWriter)]) {
        var added = parts.reduce(0) { $0 + $1.writer.count }
        reserve(added)
        var end = count
        count += added
        // In reverse order, so that no byte is overwritten before it is moved.
        for (position, writer) in parts.reversed() {
            (start + position + added).copyMemory(from: start + position, byteCount: end - position)
            added -= writer.count
            (start + position + added).copyMemory(from: writer.start, byteCount: writer.count)
            end = position
        }
    }

    /// Removes the bytes after an offset.
    func removeBytes(from position: Int) { count = position }

    /// Sorts the keys and values after an offset. Of equal keys, the last value is retained.
    func sortKeys(from position: Int) {
        var pairs: [(label: JSONBValue, start: Int, end: Int)] = []
        let bytes = bytes
        var place = position
        while let label = bytes.value(at: place, before: count), let value = bytes.value(at: label.end, before: count) {
            pairs.append((label, place, value.end))
            place = value.end
        }
        // The sort is stable.
        pairs.sort { bytes.label($0.label, precedes: $1.label) }
        withUnsafeTemporaryAllocation(byteCount: count - position, alignment: 1) { sorted in
            var size = 0
            for (index, pair) in pairs.enumerated() {
                let isLast = index + 1 == pairs.count || bytes.label(pair.label, precedes: pairs[index + 1].label)
                if !isLast { continue }
                (sorted.baseAddress! + size).copyMemory(from: start + pair.start, byteCount: pair.end - pair.start)
                size += pair.end - pair.start
            }
            (start + position).copyMemory(from: sorted.baseAddress!, byteCount: size)
            count = position + size
        }
    }

    private func makeRoom(_ size: Int, at position: Int) {
        reserve(size)
        // `copyMemory` allows overlapping memory.
        (start + position + size).copyMemory(from: start + position, byteCount: count - position)
        count += size
    }

    // MARK: Headers

    @inline(__always)
    private static func headerSize(_ payloadSize: Int) -> Int {
        switch payloadSize {
        case ...11: 1
        case ...0xFF: 2
        case ...0xFFFF: 3
        case ...0xFFFF_FFFF: 5
        default: 9
        }
    }

    @inline(__always)
    private func writeHeader(_ type: JSONBType, _ size: Int, at position: Int) {
        let sizeBytes = Self.headerSize(size) - 1
        let code = sizeBytes == 0 ? size : 12 + sizeBytes.trailingZeroBitCount
        start.storeBytes(of: UInt8(code) << 4 | type.rawValue, toByteOffset: position, as: UInt8.self)
        for index in 0..<sizeBytes {
            let byte = UInt8(truncatingIfNeeded: size >> (8 * (sizeBytes - 1 - index)))
            start.storeBytes(of: byte, toByteOffset: position + 1 + index, as: UInt8.self)
        }
    }
}
