#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct AmalgamMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        RecordMacro.self, SelectionMacro.self, EmbeddableMacro.self, PropertyMacro.self,
    ]
}
#else
// Packages that don't enable the trait `Macros` don't build this program. In a build of the package itself, it is empty.
@main
struct AmalgamMacros {
    static func main() {}
}
#endif
