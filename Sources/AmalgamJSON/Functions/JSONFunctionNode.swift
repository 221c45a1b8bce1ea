import AmalgamCore
import AmalgamQuery
import Foundation

/// A call of a JSON function, such as `JSON_ARRAY(1, 2)`.
struct JSONFunctionNode: CompositeNode {
    let name: String
    let operands: [any SQLNode]

    /// Encodes the Swift values that the result is compared with, if the result is a value inside JSON.
    var valueEncoder: JSONEncoder?

    var isAtom: Bool { true }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? {
        isExtractedValue ? EncodedJSON.comparand(of: value, by: valueEncoder) : nil
    }

    /// Whether the result is one value inside JSON, as opposed to an array of several values.
    private var isExtractedValue: Bool { operands.count == 2 && (name == "JSON_EXTRACT" || name == "JSONB_EXTRACT") }

    /// Whether SQLite treats the result as JSON, for any arguments. The other functions return SQL values or text.
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
    /// Creates a call of a JSON function.
    init(_ name: String, _ arguments: any SQLNode...) {
        self.init(name, arguments)
    }

    /// Creates a call of a JSON function.
    init(_ name: String, _ arguments: [any SQLNode]) {
        self.init(node: JSONFunctionNode(name: name, operands: arguments))
    }
}

extension SQLExpressible {
    var node: any SQLNode { sqlExpression.node }
}

/// The two formats of JSON, with the prefix of the functions that return them.
enum JSONForm: String {
    case text = "JSON"
    case binary = "JSONB"

    /// The name of a function that returns this format.
    func function(_ name: String) -> String { "\(rawValue)_\(name)" }

    /// The argument for a value that a function inserts into JSON.
    ///
    /// SQLite inserts a TEXT value as a JSON string, even if it contains JSON, unless it is the result of a JSON
    /// function. SQLite inserts JSONB as JSON. Therefore, other expressions that are JSON are converted: a
    /// ``JSONColumn`` to `JSONB("info")`.
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

    /// The values of a collection to insert into JSON.
    func parts(_ values: some Collection<any SQLExpressible>) -> [any SQLNode] { values.map(part) }

    /// Arguments in pairs: a path or key, and its value.
    ///
    /// The keys of a dictionary are sorted, so that equal dictionaries generate equal SQL.
    func pairs(
        _ pairs: some Collection<(key: String, value: any SQLExpressible)>, key: (String) -> any SQLNode
    ) -> [any SQLNode] {
        let ordered =
            pairs is [String: any SQLExpressible] ? pairs.sorted { $0.key < $1.key } : Array(pairs)
        return ordered.flatMap { [key($0.key), part($0.value)] }
    }

    /// A call that changes JSON at several paths.
    func change(
        _ name: String, _ json: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        let pairs = pairs(assignments) { PathNode($0.databaseValue) }
        return SQLExpression(function(name), [json.node] + pairs)
    }

    /// A call with a JSON value and paths.
    func paths<Paths: Collection>(_ name: String, _ json: some SQLExpressible, _ paths: Paths) -> SQLExpression
    where Paths.Element: SQLExpressible {
        SQLExpression(function(name), [json.node] + paths.map { PathNode($0.node) })
    }
}

extension SQLExpression {
    /// A call of an aggregate function that returns JSON.
    static func aggregate(
        _ name: String, _ arguments: [any SQLNode], orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLCondition)? = nil
    ) -> SQLExpression {
        SQLExpression(node: AggregateNode(name, arguments, orderBy: ordering, filter: filter))
    }
}
