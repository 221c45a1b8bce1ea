/// Casts a value to its own type, in generic code that has compared the types.
///
/// ```
/// if Value.self == Int.self { write(integer: sameTypeCast(value, to: Int.self)) }
/// ```
///
/// In code that isn't specialized for `Value`, `value as! Int` calls the Swift runtime, which takes several times as
/// long as decoding or encoding a number. This function compares two addresses, and traps if the types differ.
@inlinable @inline(__always)
package func sameTypeCast<Value, Result>(_ value: Value, to type: Result.Type = Result.self) -> Result {
    if Value.self != Result.self { failCast(from: Value.self, to: Result.self) }
    // Safe: both types are equal.
    return unsafeBitCast(value, to: Result.self)
}

@usableFromInline
package func failCast(from value: Any.Type, to result: Any.Type) -> Never {
    fatalError("a value of the type \(value) was cast to \(result)")
}
