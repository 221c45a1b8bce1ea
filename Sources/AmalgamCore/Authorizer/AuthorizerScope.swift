import CAmalgam

/// One call of ``Database/withAuthorizer(_:perform:)``, during which an authorizer decides what statements may do.
///
/// **Statements.** SQLite calls the authorizer only while it compiles a statement, and may recompile a statement at any
/// time. So each scope has its own statement caches. A statement stores the number of the scope in which it was
/// compiled, and runs only in this scope.
///
/// **Nesting.** In a nested scope, both authorizers are called: the inner one can't allow what the outer one denies.
final class AuthorizerScope {
    typealias Authorizer = (AuthorizerAction) throws -> AuthorizerDecision

    /// The number by which statements identify their scope. 0 means no scope.
    let number: Int
    private let outer: AuthorizerScope?
    private let authorizer: Authorizer

    /// Whether no statement of the scope, or of a scope inside of it, may roll back the transaction of its caller.
    let preservesTransaction: Bool

    /// The number of statements that were in a step when the scope began: those that call its code. They are the caller's,
    /// and must not fail.
    let callers: CInt

    /// The number of rows that may still be read; nil for any number.
    private(set) var remainingRows: Int?
    private(set) var maximumRowCount: Int?

    /// The reason why the current compilation fails: the denied action, or the error of an authorizer.
    private var denial: AuthorizerAction?
    private var failure: (any Error)?

    init(
        number: Int, outer: AuthorizerScope?, maximumRowCount: Int?, preservesTransaction: Bool, callers: CInt,
        authorizer: @escaping Authorizer
    ) {
        self.number = number
        self.outer = outer
        self.preservesTransaction = preservesTransaction || outer?.preservesTransaction == true
        self.callers = outer?.preservesTransaction == true ? outer!.callers : callers
        self.maximumRowCount = maximumRowCount
        remainingRows = maximumRowCount.map { max(0, $0) }
        self.authorizer = authorizer
    }

    func decide(_ action: AuthorizerAction) -> AuthorizerDecision {
        let decision = ownDecision(action)
        if decision == .deny { noteDenial(of: action) }
        return outer.map { decision.and(outerDecision($0, action)) } ?? decision
    }

    /// Notes the action because of which the current compilation fails, if it is the first one.
    func noteDenial(of action: AuthorizerAction) {
        denial = denial ?? action
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

    /// Counts a row that a statement has read, in this scope and in the scopes around it.
    ///
    /// - Returns: The row limit that is exceeded, if any.
    func countRow() -> Int? {
        if let remainingRows {
            if remainingRows == 0 { return maximumRowCount }
            self.remainingRows = remainingRows - 1
        }
        return outer?.countRow()
    }
}
