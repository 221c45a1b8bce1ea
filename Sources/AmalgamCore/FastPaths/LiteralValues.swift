import CAmalgam
import Foundation

/// The values of an array literal, such as `[1, "Anna", nil]`. SQLite's bind functions read them from the array that
/// the compiler creates, without a conversion to `DatabaseValue`.
///
/// The elements of this array are existential values, which are slow to copy and to use. This type recognizes the types
/// of nearly all arguments by the address of their metadata, and reads the values from the existential container, whose
/// layout is part of Swift's ABI: three words of buffer, the metadata, the witness table (`docs/ABI/TypeLayout.rst` of
/// the Swift project). The layout is checked once. If the layout differs, or if a value has none of the recognized
/// types, ``StatementArguments`` stores the values instead.
///
/// Inserts of ten integers by ``Statement/execute(arguments:)`` take 1.5 times as long as a loop in C. Without this
/// type, they take 3.6 times as long.
struct LiteralValues: @unchecked Sendable {
    // Sendable: all elements have one of the types below, which are Sendable.
    typealias Element = (any DatabaseValueConvertible)?

    private var elements: [Element]

    /// - Returns: Nil if an element has none of the recognized types: the element may be a reference to an object that
    ///   changes later.
    @inline(__always)
    init?(_ elements: __owned [Element]) {
        guard usesFastPaths, Self.layoutIsKnown, Self.areKnown(elements) else { return nil }
        self.elements = elements
    }

    private static func areKnown(_ elements: [Element]) -> Bool {
        elements.withUnsafeBufferPointer { elements in
            for index in elements.indices where !isKnown(type(elements.baseAddress! + index)) { return false }
            return true
        }
    }

    var count: Int { elements.count }

    var databaseValues: [DatabaseValue] { elements.map { $0?.databaseValue ?? .null } }

    /// Binds the values to the parameters of a statement, beginning with the first.
    func bind(with binder: inout ArgumentBinder) -> CInt {
        elements.withUnsafeBufferPointer { elements in
            for index in elements.indices {
                let parameter = CInt(truncatingIfNeeded: index + 1)
                let code = Self.bind(elements.baseAddress! + index, with: &binder, at: parameter)
                if code != SQLITE_OK { return code }
            }
            return SQLITE_OK
        }
    }

    @inline(__always)
    private static func bind(
        _ element: UnsafePointer<Element>, with binder: inout ArgumentBinder, at index: CInt
    ) -> CInt {
        let payload = UnsafeRawPointer(element)
        let statement = binder.sqliteStatement
        guard let type = type(element) else { return sqlite3_bind_null(statement, index) }
        if type == Int.self { return sqlite3_bind_int64(statement, index, payload.load(as: Int64.self)) }
        if type == String.self { return binder.bind(payload.assumingMemoryBound(to: String.self).pointee, at: index) }
        if type == Double.self { return sqlite3_bind_double(statement, index, payload.load(as: Double.self)) }
        if type == Date.self { return binder.bind(payload.load(as: Date.self), at: index) }
        if type == Data.self { return binder.bind(payload.assumingMemoryBound(to: Data.self).pointee, at: index) }
        if type == UUID.self { return binder.bind(payload.load(as: UUID.self), at: index) }
        return binder.bindOther(element.pointee!, at: index)
    }

    private static let typeOffset = 3 * MemoryLayout<UnsafeRawPointer>.size

    /// The type in an existential container; nil for an empty optional.
    @inline(__always)
    private static func type(_ element: UnsafePointer<Element>) -> Any.Type? {
        UnsafeRawPointer(element).load(fromByteOffset: typeOffset, as: Any.Type?.self)
    }

    @inline(__always)
    private static func isKnown(_ type: Any.Type?) -> Bool {
        guard let type else { return true }
        return type == Int.self || type == String.self || type == Double.self || isKnownRarely(type)
    }

    private static func isKnownRarely(_ type: Any.Type) -> Bool {
        type == Int64.self || type == Bool.self || type == Data.self || type == Date.self || type == UUID.self
            || type == UInt64.self || type == UInt.self || type == DatabaseValue.self || type == Int32.self
            || type == Float.self || type == Decimal.self || type == ZeroBlob.self
    }

    /// Whether existential containers have the documented layout.
    private static let layoutIsKnown: Bool = {
        let samples: [Element] = [0x0123_4567, "a string that is not small", 1.5, nil]
        return samples.withUnsafeBufferPointer { samples in
            let start = samples.baseAddress!
            return MemoryLayout<Int>.size == MemoryLayout<Int64>.size
                && MemoryLayout<Element>.stride == typeOffset + 2 * MemoryLayout<UnsafeRawPointer>.size
                && type(start) == Int.self && UnsafeRawPointer(start).load(as: Int.self) == 0x0123_4567
                && type(start + 1) == String.self
                && UnsafeRawPointer(start + 1).load(as: String.self) == "a string that is not small"
                && type(start + 2) == Double.self && UnsafeRawPointer(start + 2).load(as: Double.self) == 1.5
                && type(start + 3) == nil
                // A larger value would be stored outside of the container, behind a pointer.
                && max(MemoryLayout<Date>.size, MemoryLayout<Data>.size, MemoryLayout<UUID>.size) <= typeOffset
        }
    }()
}
