public import AmalgamCore
public import AmalgamQuery
import Foundation

extension JSONColumn {
    /// Returns an assignment that applies edits to the JSON of the column, in order.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.set(["score"], to: 10), .remove(["draft"])) }
    /// // UPDATE "player" SET "info" = JSON_REMOVE(JSON_SET("info", '$.score', 10), '$.draft')
    /// ```
    ///
    /// Running the statement throws `malformed JSON` if the column's value isn't JSON.
    public func edit(_ edits: JSONEdit...) -> ColumnAssignment { edit(edits) }

    /// Returns an assignment that applies edits to the JSON of the column, in order.
    public func edit(_ edits: [JSONEdit]) -> ColumnAssignment {
        set(to: JSONForm.text.editing(self, edits))
    }
}

extension JSONBColumn {
    /// Returns an assignment that applies edits to the JSONB of the column, in order.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.set(["score"], to: 10)) }
    /// // UPDATE "player" SET "info" = JSONB_SET("info", '$.score', 10)
    /// ```
    public func edit(_ edits: JSONEdit...) -> ColumnAssignment { edit(edits) }

    /// Returns an assignment that applies edits to the JSONB of the column, in order.
    public func edit(_ edits: [JSONEdit]) -> ColumnAssignment {
        set(to: JSONForm.binary.editing(self, edits))
    }
}

extension SQLJSONExpressible {
    /// Returns an expression for the JSON text with edits applied, in order. The column doesn't change.
    ///
    /// ```swift
    /// Player.select { $0.info.edited(.remove(["password"])) }
    /// // SELECT JSON_REMOVE("info", '$.password') FROM "player"
    /// ```
    public func edited(_ edits: JSONEdit...) -> SQLExpression { JSONForm.text.editing(self, edits) }
}

extension JSONForm {
    /// The maximum number of arguments of a generated call. SQLite's limit is 1,000, but a connection may have a lower
    /// limit. If the edits need more arguments, several nested calls are generated.
    private static let maxArgumentCount = 100

    /// An expression for JSON with edits applied. Adjacent edits that call the same SQL function share one call, up to
    /// the maximum number of arguments.
    fileprivate func editing(_ json: some SQLJSONExpressible, _ edits: [JSONEdit]) -> SQLExpression {
        var calls: [(function: String, arguments: [any SQLNode])] = []
        for edit in edits {
            let (name, arguments) = call(edit.action, json.valueEncoder)
            if let last = calls.last, last.function == name, name != function("PATCH"),
                last.arguments.count + arguments.count < Self.maxArgumentCount
            {
                calls[calls.count - 1].arguments += arguments
            } else {
                calls.append((name, arguments))
            }
        }
        return calls.reduce(json.sqlExpression) { json, call in
            SQLExpression(call.function, [json.node] + call.arguments)
        }
    }

    private func call(
        _ action: JSONEdit.Action, _ encoder: JSONEncoder?
    ) -> (function: String, arguments: [any SQLNode]) {
        switch action {
        case .assign(let name, let path, let value): (function(name), [PathNode(path), value.node(in: self, encoder)])
        case .remove(let path): (function("REMOVE"), [PathNode(path)])
        case .patch(let patch): (function("PATCH"), [patch.node])
        }
    }
}
