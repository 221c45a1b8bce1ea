public import Foundation

/// The error of an expectation that isn't met.
///
/// Swift Testing and XCTest both report an error that a test throws, so `try` is all that a test needs:
///
/// ```swift
/// try expectPlan(db, Player.filter { $0.name == "Anna" }, usesIndex: "player_on_name")
/// // PlayerTests/PlayerTests.swift:12: The plan doesn't use the index player_on_name:
/// // QUERY PLAN
/// // `--SCAN player
/// ```
///
/// The test ends there. The module links neither framework: it works in tests of both, in programs that are no tests, and
/// on each platform. A test that wants to continue, or a mark on the line itself, catches the error, and records
/// ``message`` at ``location``.
public struct ExpectationFailed: Error, Hashable, Sendable {
    /// The difference between what was expected and what was found.
    public let message: String

    /// The call of the expectation.
    public let location: CodeLocation

    init(_ message: String, at location: CodeLocation) {
        self.message = message
        self.location = location
    }
}

extension ExpectationFailed: CustomStringConvertible {
    /// The location and the message.
    public var description: String { "\(location): \(message)" }
}

extension ExpectationFailed: LocalizedError {
    /// The location and the message.
    public var errorDescription: String? { description }
}
