public import AmalgamCore
public import AmalgamQuery
import Foundation

extension JSONColumn {
    /// Changes the inside of JSON: the edits apply one after the other.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.set(["score"], to: 10), .remove(["draft"])) }
    /// // UPDATE "player" SET "info" = JSON_REMOVE(JSON_SET("info", '$.score', 10), '$.draft')
    /// ```
    ///
    /// Running the statement throws `malformed JSON` when the column holds something else.
    public func edit(_ edits: JSONEdit...) -> ColumnAssignment { edit(edits) }

    /// Changes the inside of JSON: the edits apply one after the other.
    public func edit(_ edits: [JSONEdit]) -> ColumnAssignment {
        set(to: JSONForm.text.editing(self, edits))
    }
}

extension JSONBColumn {
    /// Changes the inside of JSONB: the edits apply one after the other.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.info.edit(.set(["score"], to: 10)) }
    /// // UPDATE "player" SET "info" = JSONB_SET("info", '$.score', 10)
    /// ```
    public func edit(_ edits: JSONEdit...) -> ColumnAssignment { edit(edits) }

    /// Changes the inside of JSONB: the edits apply one after the other.
    public func edit(_ edits: [JSONEdit]) -> ColumnAssignment {
        set(to: JSONForm.binary.editing(self, edits))
    }
}

extension SQLJSONExpressible {
    /// JSON after some edits, as text.
    ///
    /// ```swift
    /// Player.select { $0.info.edited(.remove(["password"])) }
    /// // SELECT JSON_REMOVE("info", '$.password') FROM "player"
    /// ```
    public func edited(_ edits: JSONEdit...) -> SQLExpression { JSONForm.text.editing(self, edits) }
}

extension JSONForm {
    /// SQLite takes 1,000 arguments, or fewer where a limit says so. Each call of so many is an argument of the next one.
    private static let maxArgumentCount = 100

    /// JSON after some edits. Those of one kind that follow each other are one call, as far as SQLite takes so many arguments.
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
