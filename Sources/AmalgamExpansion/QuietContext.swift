#if Macros
import SwiftDiagnostics
import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// A context that reports nothing: another role of the same macro has reported.
final class Quiet: MacroExpansionContext {
    private let context: any MacroExpansionContext

    init(_ context: any MacroExpansionContext) {
        self.context = context
    }

    var lexicalContext: [Syntax] { context.lexicalContext }

    var buildConfiguration: (any BuildConfiguration)? { context.buildConfiguration }

    func makeUniqueName(_ name: String) -> TokenSyntax { context.makeUniqueName(name) }

    func diagnose(_ diagnostic: Diagnostic) {}

    func location(
        of node: some SyntaxProtocol, at position: PositionInSyntaxNode, filePathMode: SourceLocationFilePathMode
    ) -> AbstractSourceLocation? { context.location(of: node, at: position, filePathMode: filePathMode) }
}
#endif
