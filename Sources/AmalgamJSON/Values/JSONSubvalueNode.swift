import AmalgamCore
import AmalgamQuery

/// `"info" ->> 'score'`, and `"info" -> 'score'`.
struct JSONSubvalueNode: CompositeNode {
    enum Operator: String {
        case value = " ->> "
        case representation = " -> "
    }

    let json: any SQLNode
    let operation: Operator
    let path: any SQLNode

    init(json: some SQLJSONExpressible, operation: Operator, path: any SQLNode) {
        self.json = json.sqlExpression.node
        self.operation = operation
        self.path = PathNode(path)
    }

    var operands: [any SQLNode] { [json, path] }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: json)
        writer.append(operation.rawValue)
        try writer.append(operand: path)
    }
}

/// A path. One that is known is written into the SQL: SQLite compares expressions with those of indexes by their text, and
/// an argument is never equal.
struct PathNode: CompositeNode {
    let path: any SQLNode

    init(_ path: any SQLNode) {
        self.path = path
    }

    init(_ path: JSONPath) {
        self.path = path.description.databaseValue
    }

    var isAtom: Bool { path.isAtom || path is DatabaseValue }

    var operands: [any SQLNode] { [path] }

    func write(to writer: inout SQLWriter) throws {
        if let value = path as? DatabaseValue {
            writer.append(value.sqlLiteral)
        } else {
            try path.write(to: &writer)
        }
    }
}
