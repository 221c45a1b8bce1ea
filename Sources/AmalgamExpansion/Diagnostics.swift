#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// What a macro reports about a declaration.
struct Problem: DiagnosticMessage {
    let message: String
    let id: String

    var diagnosticID: MessageID { MessageID(domain: "Amalgam", id: id) }

    var severity: DiagnosticSeverity { .error }

    static let needsStruct = Problem(
        message: "a record is a struct or a final class", id: "needsStruct")

    static let needsFinalClass = Problem(
        message: "a class that is a record must be final: add 'final'", id: "needsFinalClass")

    static let needsType = Problem(
        message: "write the type of the property: the macro can't infer it from the default value", id: "needsType")

    static let pattern = Problem(
        message: "declare one property per name: a column can't be a tuple", id: "pattern")

    static let lazy = Problem(
        message: "a lazy property can't be a column: add '@Ignored'", id: "lazy")

    static let reference = Problem(
        message: "a weak or unowned property can't be a column: add '@Ignored'", id: "reference")

    static let ignoredNeedsDefault = Problem(
        message: "an ignored property needs a default value, because no column has its value",
        id: "ignoredNeedsDefault")

    static let name = Problem(
        message: "the name of a column must be a string literal without interpolation", id: "name")

    static let tableName = Problem(
        message: "the name of a table must be a string literal without interpolation", id: "tableName")

    static func sameColumn(_ key: String) -> Problem {
        Problem(message: "two properties have the column '\(key)'", id: "sameColumn")
    }

    static let sameColumns = Problem(
        message:
            "two embedded properties have the same columns: give one of them a prefix, '@Embedded(prefix: \"a_\")'",
        id: "sameColumns")

    static let mainActorClass = Problem(
        message: "connections read and write records on their threads: remove '@MainActor', or use a struct",
        id: "mainActorClass")

    static let keyInSelection = Problem(
        message: "a selection has no key: it is read, and not written", id: "keyInSelection")

    static func wrapper(_ name: String) -> Problem {
        Problem(
            message: """
                '@\(name)' may be a property wrapper with its own format, which the record wouldn't use: tell what is stored \
                with '@Column(as:)', or with '@Column' for the format of the type, or add '@Ignored'
                """, id: "wrapper")
    }

    static func embeddedCoding(_ name: String) -> Problem {
        Problem(
            message:
                "records that embed the type don't call its '\(name)': give its properties formats with '@Column(as:)'",
            id: "embeddedCoding")
    }

    static let noColumns = Problem(
        message: "the type has no stored property that could be a column", id: "noColumns")

    static let keyInEmbeddable = Problem(
        message: "a type that records embed has no key: declare the key in the record", id: "keyInEmbeddable")

    static let embeddableStruct = Problem(message: "a type that records embed is a struct", id: "embeddableStruct")

    static func embeddedColumn(_ name: String) -> Problem {
        Problem(message: "an embedded property has several columns: remove '@\(name)'", id: "embeddedColumn")
    }

    static let prefix = Problem(
        message: "the prefix of columns must be a string literal without interpolation", id: "prefix")

    static func attribute(_ name: String) -> Problem {
        Problem(message: "'@\(name)' belongs to a stored property", id: "attribute")
    }

    static let attributeCondition = Problem(
        message: "the macro can't tell whether the attribute applies: declare the property in the '#if'",
        id: "attributeCondition")

    static let ignoredColumn = Problem(
        message: "an ignored property has no column: remove the other attribute", id: "ignoredColumn")

    static let keyGenerated = Problem(
        message: "a key can't be generated: SQLite doesn't allow it", id: "keyGenerated")
}

/// A fix that the compiler offers.
struct Fix: FixItMessage {
    let message: String
    let id: String

    var fixItID: MessageID { MessageID(domain: "Amalgam", id: id) }
}

extension MacroExpansionContext {
    func report(_ problem: Problem, at node: some SyntaxProtocol, fixes: [FixIt] = []) {
        diagnose(Diagnostic(node: Syntax(node), message: problem, fixIts: fixes))
    }
}

extension FixIt {
    /// Adds an attribute or a modifier before a declaration.
    static func insert(_ text: String, before declaration: VariableDeclSyntax) -> FixIt {
        var changed = declaration
        let trivia = changed.leadingTrivia
        changed.leadingTrivia = []
        let attribute: AttributeSyntax = "\(raw: text)"
        changed.attributes =
            [.attribute(attribute.with(\.leadingTrivia, trivia).with(\.trailingTrivia, .space))]
            + changed.attributes
        return FixIt(
            message: Fix(message: "add '\(text)'", id: "insert"),
            changes: [.replace(oldNode: Syntax(declaration), newNode: Syntax(changed))])
    }

    /// Adds `final` before a class.
    static func makeFinal(_ declaration: ClassDeclSyntax) -> FixIt {
        var changed = declaration
        let keyword = changed.classKeyword
        changed.modifiers.append(
            DeclModifierSyntax(name: .keyword(.final, leadingTrivia: keyword.leadingTrivia, trailingTrivia: .space)))
        changed.classKeyword = keyword.with(\.leadingTrivia, [])
        return FixIt(
            message: Fix(message: "add 'final'", id: "makeFinal"),
            changes: [.replace(oldNode: Syntax(declaration), newNode: Syntax(changed))])
    }
}
#endif
