/// Returns a value as the type that it has, where generic code has compared the types.
///
/// ```swift
/// if Value.self == Int.self { write(integer: sameTypeCast(value, to: Int.self)) }
/// ```
///
/// `value as! Int` is a call of the Swift runtime in code that isn't specialised for `Value`. It takes several times as long
/// as to decode or encode a number. This function compares two addresses, and ends the process when the types differ.
@inlinable
package func sameTypeCast<Value, Result>(_ value: Value, to type: Result.Type = Result.self) -> Result {
    if Value.self != Result.self { fatalError("a value of the type \(Value.self) was cast to \(Result.self)") }
    // Safe: both types are the same one.
    return unsafeBitCast(value, to: Result.self)
}
