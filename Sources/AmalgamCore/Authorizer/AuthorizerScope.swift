import CAmalgam

/// One call of ``Database/withAuthorizer(_:perform:)``, during which an authorizer decides what statements may do.
///
/// **Statements.** SQLite asks the authorizer only during compilation, and may compile a statement again at any time.
/// So a scope has its own statement caches, and a statement, which stores the number of its scope, only runs in the
/// scope in which it was compiled.
///
/// **Nesting.** An inner scope also asks the outer scope: it can't allow what the outer scope denies.
final class AuthorizerScope {
    typealias Authorizer = (AuthorizerAction) throws -> AuthorizerDecision

    /// The number by which statements identify their scope. 0 means no scope.
    let number: Int
    private let outer: AuthorizerScope?
    private let authorizer: Authorizer

    /// The number of rows that may still be read; nil for any number.
    private(set) var remainingRows: Int?
    private(set) var maximumRowCount: Int?

    /// The reason why the current compilation fails: the denied action, or the error of an authorizer.
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

    /// Clears the refusals of earlier compilations.
    func forgetRefusals() {
        (denial, failure) = (nil, nil)
    }

    /// Returns the first action that was denied since the last call.
    func takeDenial() -> AuthorizerAction? {
        defer { denial = nil }
        return denial
    }

    /// Returns the first error of an authorizer since the last call.
    func takeFailure() -> (any Error)? {
        defer { failure = nil }
        return failure
    }

    /// Counts a row in this scope and the outer ones.
    ///
    /// - Returns: The limit that is exceeded, if any.
    func countRow() -> Int? {
        if let remainingRows {
            if remainingRows == 0 { return maximumRowCount }
            self.remainingRows = remainingRows - 1
        }
        return outer?.countRow()
    }
}
