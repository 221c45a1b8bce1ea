#if Macros
import AmalgamExpansion
import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private struct RecordMacro: RecordExpansion {}
private struct SelectionMacro: SelectionExpansion {}
private struct EmbeddableMacro: EmbeddableExpansion {}
private struct PropertyMacro: PropertyExpansion {}

private let macros: [String: MacroSpec] = [
    "Record": MacroSpec(
        type: RecordMacro.self,
        conformances: [
            "FetchableRecord", "EncodableRecord", "TableRecord", "MutablePersistableRecord", "PersistableRecord",
            "_DeclaredRecord", "Identifiable",
        ]),
    "Selection": MacroSpec(type: SelectionMacro.self, conformances: ["FetchableRecord"]),
    "Embeddable": MacroSpec(
        type: EmbeddableMacro.self, conformances: ["FetchableRecord", "EncodableRecord", "_EmbeddableRecord"]),
    "Embedded": MacroSpec(type: PropertyMacro.self), "Key": MacroSpec(type: PropertyMacro.self),
    "Column": MacroSpec(type: PropertyMacro.self),
    "Ignored": MacroSpec(type: PropertyMacro.self),
]

/// Expands the macros in a source, and compares the result.
func expectExpansion(
    _ source: String, _ expanded: String, diagnostics: [DiagnosticSpec] = [], applyFixIts: [String]? = nil,
    fixedSource: String? = nil, configuration: (any BuildConfiguration)? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    #if compiler(<6.3)
    // Without module selectors.
    let expanded = expanded.replacing("::", with: ".")
    #endif
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros, applyFixIts: applyFixIts,
        fixedSource: fixedSource, indentationWidth: .spaces(4), buildConfiguration: configuration
    ) { failure in
        Issue.record("\(failure.message)", sourceLocation: sourceLocation)
    }
}

/// Expands the macros in a source that is wrong.
func expectDiagnostic(
    _ source: String, _ expanded: String, _ message: String, line: Int, column: Int, fixIt: String? = nil,
    fixedSource: String? = nil, configuration: (any BuildConfiguration)? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let fixIts = fixIt.map { [FixItSpec(message: $0)] } ?? []
    expectExpansion(
        source, expanded,
        diagnostics: [DiagnosticSpec(message: message, line: line, column: column, fixIts: fixIts)],
        applyFixIts: fixIt.map { [$0] }, fixedSource: fixedSource, configuration: configuration,
        sourceLocation: sourceLocation)
}
#endif
