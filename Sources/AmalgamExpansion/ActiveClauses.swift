#if Macros
import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// The clauses of an `#if`, as far as a macro can tell which one is active.
enum ActiveClauses {
    /// The compiler knows the active clause, or that no clause is active.
    case known(IfConfigClauseSyntax?)

    /// Any clause may be active: the compiler doesn't tell macros, or the condition is one of `canImport`.
    case any(IfConfigClauseListSyntax)

    init(_ condition: IfConfigDeclSyntax, in context: some MacroExpansionContext) {
        guard let configuration = context.buildConfiguration else {
            self = .any(condition.clauses)
            return
        }
        let (clause, diagnostics) = condition.activeClause(in: configuration)
        self = diagnostics.isEmpty ? .known(clause) : .any(condition.clauses)
    }

    /// The clauses that may be active.
    var clauses: [IfConfigClauseSyntax] {
        switch self {
        case .known(let clause): [clause].compactMap(\.self)
        case .any(let clauses): Array(clauses)
        }
    }
}
#endif
