import AmalgamCore
import AmalgamQuery
import Foundation

/// A call of a function of JSON: `JSON_ARRAY(1, 2)`.
struct JSONFunctionNode: CompositeNode {
    let name: String
    let operands: [any SQLNode]

    /// Encodes the Swift values that the result is compared with, where the result is a value inside JSON.
    var valueEncoder: JSONEncoder?

    var isAtom: Bool { true }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? {
        isExtractedValue ? EncodedJSON.comparand(of: value, by: valueEncoder) : nil
    }

    /// Whether the result is one value inside JSON, and not an array of several ones.
    private var isExtractedValue: Bool { operands.count == 2 && (name == "JSON_EXTRACT" || name == "JSONB_EXTRACT") }

    /// Whether SQLite knows that the result is JSON, whatever the arguments are. Others return values of SQL, or text.
    var returnsJSON: Bool { Self.namesReturningJSON.contains(name) }

    private static let namesReturningJSON: Set<String> = {
        let names = [
            "", "_ARRAY", "_ARRAY_INSERT", "_INSERT", "_OBJECT", "_PATCH", "_QUOTE", "_REMOVE", "_REPLACE", "_SET",
        ]
        return Set(names.flatMap { ["JSON\($0)", "JSONB\($0)"] })
    }()

    func write(to writer: inout SQLWriter) throws {
        writer.append("\(name)(")
        try writer.append(operands)
        writer.append(")")
    }
}

extension SQLExpression {
    /// A call of a function of JSON.
    init(_ name: String, _ arguments: any SQLNode...) {
        self.init(name, arguments)
    }

    /// A call of a function of JSON.
    init(_ name: String, _ arguments: [any SQLNode]) {
        self.init(node: JSONFunctionNode(name: name, operands: arguments))
    }
}

extension SQLExpressible {
    var node: any SQLNode { sqlExpression.node }
}

/// The two forms of JSON, and how the names of functions begin that return them.
enum JSONForm: String {
    case text = "JSON"
    case binary = "JSONB"

    /// The name of a function that returns this form.
    func function(_ name: String) -> String { "\(rawValue)_\(name)" }

    /// A value that becomes a part of JSON.
    ///
    /// SQLite would take JSON text for a string. As JSONB it is a part, which SQLite need not parse again.
    func part(_ value: any SQLExpressible) -> any SQLNode {
        let node = value.node
        guard value is any SQLJSONExpressible, (node as? JSONFunctionNode)?.returnsJSON != true,
            (node as? DatabaseValue)?.isNull != true
        else { return node }
        return JSONFunctionNode(name: "JSONB", operands: [node])
    }

    /// A call that returns the value at a path.
    func extraction(_ json: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        let encoder = (json as? any SQLJSONExpressible)?.valueEncoder
        return SQLExpression(
            node: JSONFunctionNode(
                name: function("EXTRACT"), operands: [json.node, PathNode(path.node)], valueEncoder: encoder))
    }

    /// The values of a collection, as parts of JSON.
    func parts(_ values: some Collection<any SQLExpressible>) -> [any SQLNode] { values.map(part) }

    /// Paths or keys, and values, one after the other.
    ///
    /// A dictionary has no order: its keys are sorted, so that the same dictionary makes the same SQL.
    func pairs(
        _ pairs: some Collection<(key: String, value: any SQLExpressible)>, key: (String) -> any SQLNode
    ) -> [any SQLNode] {
        let ordered =
            pairs is [String: any SQLExpressible] ? pairs.sorted { $0.key < $1.key } : Array(pairs)
        return ordered.flatMap { [key($0.key), part($0.value)] }
    }

    /// A call that changes JSON at some paths.
    func change(
        _ name: String, _ json: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        let pairs = pairs(assignments) { PathNode($0.databaseValue) }
        return SQLExpression(function(name), [json.node] + pairs)
    }

    /// A call with a JSON value, and paths.
    func paths<Paths: Collection>(_ name: String, _ json: some SQLExpressible, _ paths: Paths) -> SQLExpression
    where Paths.Element: SQLExpressible {
        SQLExpression(function(name), [json.node] + paths.map { PathNode($0.node) })
    }
}

extension SQLExpression {
    /// A call of an aggregate function that returns JSON.
    static func aggregate(
        _ name: String, _ arguments: [any SQLNode], orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        SQLExpression(node: AggregateNode(name, arguments, orderBy: ordering, filter: filter))
    }
}
