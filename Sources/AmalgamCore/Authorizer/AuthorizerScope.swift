import CAmalgam

/// The time during which a closure decides what statements may do.
///
/// **Statements.** What a statement may do is decided while it is compiled. So the caches of the connection are put
/// aside when a scope begins, statements made elsewhere are refused in it, and its own statements are refused
/// elsewhere: SQLite could compile them again there, with nobody to ask. The number of the scope tells them apart.
///
/// **Nesting.** A scope inside another one asks both: it cannot allow what the outer one forbids.
final class AuthorizerScope {
    typealias Authorizer = (AuthorizerAction) throws -> AuthorizerDecision

    /// Tells the statements of scopes apart: 0 is no scope.
    let number: Int
    private let outer: AuthorizerScope?
    private let authorizer: Authorizer

    /// How many rows may still be read; nil for any number.
    private(set) var remainingRows: Int?
    private(set) var maximumRowCount: Int?

    /// Why the statement that is being compiled is refused.
    private var denial: AuthorizerAction?
    private var failure: (any Error)?

    init(number: Int, outer: AuthorizerScope?, maximumRowCount: Int?, authorizer: @escaping Authorizer) {
        self.number = number
        self.outer = outer
        self.maximumRowCount = maximumRowCount
        remainingRows = maximumRowCount.map { max(0, $0) }
        self.authorizer = authorizer
    }

    func decide(_ action: AuthorizerAction) -> AuthorizerDecision {
        let decision = ownDecision(action)
        if decision == .deny && denial == nil { denial = action }
        return outer.map { decision.and(outerDecision($0, action)) } ?? decision
    }

    private func ownDecision(_ action: AuthorizerAction) -> AuthorizerDecision {
        do {
            return try authorizer(action)
        } catch {
            failure = failure ?? error
            return .deny
        }
    }

    private func outerDecision(_ outer: AuthorizerScope, _ action: AuthorizerAction) -> AuthorizerDecision {
        let decision = outer.decide(action)
        denial = denial ?? outer.takeDenial()
        failure = failure ?? outer.takeFailure()
        return decision
    }

    /// A compilation begins: what was refused before is history.
    func forgetRefusals() {
        (denial, failure) = (nil, nil)
    }

    /// The first action that was refused since the last call.
    func takeDenial() -> AuthorizerAction? {
        defer { denial = nil }
        return denial
    }

    /// The first error of an authorizer since the last call.
    func takeFailure() -> (any Error)? {
        defer { failure = nil }
        return failure
    }

    /// Counts a row, also for the scopes around.
    ///
    /// - Returns: the limit that is exceeded, if any.
    func countRow() -> Int? {
        if let remainingRows {
            if remainingRows == 0 { return maximumRowCount }
            self.remainingRows = remainingRows - 1
        }
        return outer?.countRow()
    }
}
