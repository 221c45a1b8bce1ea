import CAmalgam
import Foundation

/// The values of a literal, `[1, "Anna", nil]`, kept in the array that the compiler makes of it.
///
/// Nearly all arguments are of a few types. Comparing metatypes finds them, and each binds itself, so that no second array
/// of stored values is needed.
struct LiteralValues: @unchecked Sendable {
    // Sendable: all elements are values of the types in `isKnown`, which are.
    typealias Element = (any DatabaseValueConvertible)?

    private let elements: [Element]

    /// - Returns: nil when an element is of an unknown type: it may be a reference, whose value may change.
    @inline(__always)
    init?(_ elements: __owned [Element]) {
        for element in elements { guard element.map(Self.isKnown) ?? true else { return nil } }
        self.elements = elements
    }

    var count: Int { elements.count }

    var databaseValues: [DatabaseValue] { elements.map { $0?.databaseValue ?? .null } }

    /// Binds the values to the parameters of a statement, from the first one on.
    func bind(with binder: inout ArgumentBinder) -> CInt {
        var index: CInt = 0
        for element in elements {
            index += 1
            let code =
                element.map { Self.bind($0, with: &binder, at: index) }
                ?? sqlite3_bind_null(binder.sqliteStatement, index)
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    @inline(__always)
    private static func bind(_ value: any DatabaseValueConvertible, with binder: inout ArgumentBinder, at index: CInt)
        -> CInt
    {
        let type = Swift.type(of: value) as Any.Type
        if type == Int.self || type == Double.self { return value.bind(to: binder.sqliteStatement, at: index) }
        return binder.bind(usual: value, at: index)
    }

    @inline(__always)
    private static func isKnown(_ value: any DatabaseValueConvertible) -> Bool {
        let type = Swift.type(of: value) as Any.Type
        return type == Int.self || type == String.self || type == Double.self || isKnownRarely(type)
    }

    private static func isKnownRarely(_ type: Any.Type) -> Bool {
        type == Int64.self || type == Bool.self || type == Data.self || type == Date.self || type == UUID.self
            || type == UInt64.self || type == UInt.self || type == DatabaseValue.self || type == Int32.self
            || type == Float.self || type == Decimal.self || type == ZeroBlob.self
    }
}

extension ArgumentBinder {
    /// Binds a value of a type whose bytes may be put into the memory of the run. Other values bind themselves.
    ///
    /// An existential value is opened by the call. To compare its type with others is cheaper than casts by `as?`.
    mutating func bind<Value: DatabaseValueConvertible>(usual value: Value, at index: CInt) -> CInt {
        if Value.self == String.self { return bind(sameTypeCast(value, to: String.self), at: index) }
        if Value.self == Date.self { return bind(sameTypeCast(value, to: Date.self), at: index) }
        if Value.self == Data.self { return bind(sameTypeCast(value, to: Data.self), at: index) }
        if Value.self == UUID.self { return bind(sameTypeCast(value, to: UUID.self), at: index) }
        if Value.self == DatabaseValue.self { return bind(sameTypeCast(value, to: DatabaseValue.self), at: index) }
        return bindOther(value, at: index)
    }
}
