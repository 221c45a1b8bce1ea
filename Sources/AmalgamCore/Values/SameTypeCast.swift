/// Casts a value to its own type, in generic code that has compared the types.
///
/// ```
/// if Value.self == Int.self { write(integer: sameTypeCast(value, to: Int.self)) }
/// ```
///
/// In code that isn't specialized for `Value`, `value as! Int` calls the Swift runtime, which takes several times as
/// long as decoding or encoding a number. This function compares two addresses, and traps if the types differ.
@inlinable
package func sameTypeCast<Value, Result>(_ value: Value, to type: Result.Type = Result.self) -> Result {
    if Value.self != Result.self { fatalError("a value of the type \(Value.self) was cast to \(Result.self)") }
    // Safe: both types are equal.
    return unsafeBitCast(value, to: Result.self)
}
