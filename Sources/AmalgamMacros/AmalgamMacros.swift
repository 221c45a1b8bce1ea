#if Macros
import AmalgamExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct AmalgamMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        RecordMacro.self, SelectionMacro.self, EmbeddableMacro.self, PropertyMacro.self,
    ]
}

// The compiler looks for these types in this module. Their code is in AmalgamExpansion, so that no test depends on the plug-in:
// SwiftPM would compile each module twice, once as a part of the plug-in.
struct RecordMacro: RecordExpansion {}
struct SelectionMacro: SelectionExpansion {}
struct EmbeddableMacro: EmbeddableExpansion {}
struct PropertyMacro: PropertyExpansion {}
#else
// Packages that don't enable the trait `Macros` don't build this program. In a build of the package itself, it is empty.
@main
struct AmalgamMacros {
    static func main() {}
}
#endif
