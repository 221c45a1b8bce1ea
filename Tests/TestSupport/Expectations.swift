import Amalgam
package import AmalgamCore
package import Testing

/// Expects a `DatabaseError` with this primary code.
@discardableResult
package func expectCode<T>(
    _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.resultCode == code, sourceLocation: sourceLocation)
    return error
}

/// The message for a file that isn't a database. With the trait Encryption, it lists the possible reasons.
package let notADatabase =
    SQLiteBuild.cipher == nil
    ? "file is not a database"
    : """
    file is not a database (wrong pass phrase, other cipher settings, a database that isn't encrypted, or something else)
    """

/// Expects a value. Unlike `#expect(try …)`, a call of this function makes the enclosing closure a throwing one.
package func expectEqual<T: Equatable>(
    _ value: T, _ expected: T, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, comment, sourceLocation: sourceLocation)
}

/// Expects a `DatabaseError` with this primary code, message and SQL.
@discardableResult
package func expectError(
    _ code: ResultCode, _ message: String, sql: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> DatabaseError? {
    guard let error = expectFailure(code, message, sourceLocation: sourceLocation, body) else { return nil }
    #expect(error.sql == sql, sourceLocation: sourceLocation)
    return error
}

/// Expects a `RowDecodingError` with this description.
package func expectDecodingError(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    let error = #expect(throws: RowDecodingError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.description == text, sourceLocation: sourceLocation)
}

/// Expects a `DatabaseError` with this primary code, and with the given message and SQL, if any.
@discardableResult
package func expectFailure(
    _ code: ResultCode, _ message: String? = nil, sql: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation, performing: body)
    guard let error else { return nil }
    #expect(error.resultCode == code, sourceLocation: sourceLocation)
    if let message { #expect(error.message == message, sourceLocation: sourceLocation) }
    if let sql { #expect(error.sql == sql, sourceLocation: sourceLocation) }
    return error
}
