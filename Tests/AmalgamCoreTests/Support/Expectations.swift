import Amalgam
import Testing

/// Expects a `DatabaseError` with this primary code.
@discardableResult
func expectCode<T>(
    _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.resultCode == code, sourceLocation: sourceLocation)
    return error
}

/// Expects a value. Unlike `#expect(try …)`, a call of this function makes the closure around it a throwing one.
func expectEqual<T: Equatable>(
    _ value: T, _ expected: T, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, sourceLocation: sourceLocation)
}
