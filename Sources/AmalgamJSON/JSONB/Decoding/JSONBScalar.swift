import Foundation

/// A type that is decoded from one JSONB element.
protocol JSONBScalar {
    /// Decodes an element. Returns nil if it has a different type, is malformed, or isn't representable.
    init?(jsonb value: JSONBValue, in storage: JSONBStorage)
}

extension Bool: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) {
        switch value.type {
        case .true: self = true
        case .false: self = false
        default: return nil
        }
    }
}

extension String: JSONBScalar {
    /// Creates a string from valid UTF-8.
    ///
    /// `String(decoding:as:)`, which repairs invalid UTF-8, is faster than `String(validating:as:)`, which is generic
    /// and unspecialized. Therefore, the string is decoded with repairs, and then compared with the bytes.
    @inline(__always)
    private init?(utf8 bytes: UnsafeRawBufferPointer) {
        self.init(decoding: bytes, as: UTF8.self)
        let isSame = withUTF8 { utf8 in
            guard utf8.count == bytes.count else { return false }
            guard let start = bytes.baseAddress, let copy = utf8.baseAddress else { return true }
            return memcmp(start, copy, bytes.count) == 0
        }
        if !isSame { return nil }
    }

    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) {
        let bytes = storage.payload(value)
        switch value.type {
        case .text:
            if JSONEscapes.areNeeded(in: bytes) { return nil }
            self.init(utf8: bytes)
        case .textRaw:
            self.init(utf8: bytes)
        case .textJ:
            guard let text = JSONEscapes.unescape(bytes, isJSON5: false) else { return nil }
            self = text
        case .text5:
            guard let text = JSONEscapes.unescape(bytes, isJSON5: true) else { return nil }
            self = text
        default: return nil
        }
    }
}

extension FixedWidthInteger {
    /// Decodes an integer. Numbers with a point or an exponent are integers if they have no fraction: `10.0`, `1e3`.
    @inline(__always)
    fileprivate init?(integerOf value: JSONBValue, in storage: JSONBStorage) {
        let bytes = storage.payload(value)
        switch value.type {
        case .int:
            guard let integer: Self = JSONBNumber.integer(bytes) else { return nil }
            self = integer
        case .int5:
            guard let hexadecimal = JSONBHexadecimal(bytes) else { return nil }
            self.init(exactly: hexadecimal)
        case .float, .float5:
            guard let integer: Self = JSONBNumber.wholeNumber(bytes, value.type) else { return nil }
            self = integer
        default: return nil
        }
    }
}

extension JSONBFloat {
    @inline(__always)
    fileprivate init?(numberOf value: JSONBValue, in storage: JSONBStorage) {
        let bytes = storage.payload(value)
        switch value.type {
        case .int, .float, .float5:
            guard let number: Self = JSONBNumber.float(bytes, value.type) else { return nil }
            self = number
        case .int5:
            guard let hexadecimal = JSONBHexadecimal(bytes) else { return nil }
            self = hexadecimal.isNegative ? -Self(hexadecimal.magnitude) : Self(hexadecimal.magnitude)
        default: return nil
        }
    }
}

extension Double: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(numberOf: value, in: storage) }
}

extension Float: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(numberOf: value, in: storage) }
}

extension Int: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension Int8: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension Int16: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension Int32: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension Int64: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension UInt: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension UInt8: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension UInt16: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension UInt32: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension UInt64: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension Int128: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}

extension UInt128: JSONBScalar {
    @inline(__always)
    init?(jsonb value: JSONBValue, in storage: JSONBStorage) { self.init(integerOf: value, in: storage) }
}
