import AmalgamCore
import AmalgamQuery
import Foundation

/// A JSON operator: `"info" ->> 'score'`, or `"info" -> 'score'`.
struct JSONSubvalueNode: CompositeNode {
    enum Operator: String {
        case value = " ->> "
        case representation = " -> "
    }

    let json: any SQLNode
    let operation: Operator
    let path: any SQLNode

    /// Encodes the Swift values that the subvalue is compared with.
    let valueEncoder: JSONEncoder?

    init(json: some SQLJSONExpressible, operation: Operator, path: any SQLNode) {
        self.json = json.sqlExpression.node
        self.operation = operation
        self.path = PathNode(operand: path)
        valueEncoder = json.valueEncoder
    }

    var operands: [any SQLNode] { [json, path] }

    func comparand(of value: any SQLExpressible) -> (any SQLNode)? {
        operation == .value ? EncodedJSON.comparand(of: value, by: valueEncoder) : nil
    }

    func write(to writer: inout SQLWriter) throws {
        try writer.append(operand: json)
        writer.append(operation.rawValue)
        try writer.append(operand: path)
    }
}

/// The path argument of a JSON function or operator. A constant path is a literal in the SQL, not a bound parameter:
/// SQLite uses an index on an expression such as `"info" ->> 'country'` only for queries that contain this expression.
struct PathNode: CompositeNode {
    let path: any SQLNode

    init(_ path: any SQLNode) {
        self.path = path
    }

    init(_ path: JSONPath) {
        self.path = path.description.databaseValue
    }

    /// Creates the right operand of `->>` and `->`. A constant path is normalized.
    init(operand path: any SQLNode) {
        self.path = (path as? DatabaseValue).flatMap(Self.normalForm) ?? path
    }

    private static func normalForm(_ path: DatabaseValue) -> DatabaseValue? {
        guard case .string(let text) = path.storage else { return nil }
        switch text.utf8.first {
        case UInt8(ascii: "$"): return (try? JSONPath(parsing: text))?.operand
        // SQLite reads array indexes, such as `[0]`.
        case UInt8(ascii: "[") where (try? JSONPath(parsing: "$" + text)) != nil: return nil
        // The operator puts quotation marks around a key, and doesn't escape those in the key.
        default: return JSONPath.root[text].operand
        }
    }

    var isAtom: Bool { path.isAtom || path is DatabaseValue }

    var operands: [any SQLNode] { [path] }

    func write(to writer: inout SQLWriter) throws {
        if let value = path as? DatabaseValue {
            try JSONPath.checkKeys(of: value)
            writer.append(value.sqlLiteral)
        } else {
            try path.write(to: &writer)
        }
    }
}
