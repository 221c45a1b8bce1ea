/// The history of a program in plain Swift: the content before and after each action.
struct UndoModel {
    struct Action {
        var before: Model
        var after: Model
        /// Whether the schema has changed since: the history may then refuse the action.
        var mayRefuse = false
    }

    var undoable: [Action] = []
    var redoable: [Action] = []

    mutating func perform(before: Model, after: Model) {
        let changed = Schema.tables.contains {
            !$0.isVirtual && before.tables[$0.name]?.rows != after.tables[$0.name]?.rows
        }
        if !changed { return }
        undoable.append(Action(before: before, after: after))
        redoable = []
    }

    mutating func schemaDidChange() {
        for index in undoable.indices { undoable[index].mayRefuse = true }
        for index in redoable.indices { redoable[index].mayRefuse = true }
    }

    enum Outcome {
        /// Some rows have changed since, or a constraint doesn't allow the result.
        case conflict
        case content(Model)
    }

    /// The result of undoing or redoing an action: an update restores the cells that it has changed, if they have the
    /// values of the action.
    static func replay(from: Model, to: Model, in current: Model) -> Outcome {
        var result = current
        for table in Schema.tables where !table.isVirtual {
            let (old, new) = (from.rows(table.name), to.rows(table.name))
            var places = old
            for row in new where !places.contains(where: { table.isAtSamePlace($0, row) }) { places.append(row) }
            for place in places {
                func row(in rows: [Model.Row]) -> Model.Row? { rows.first { table.isAtSamePlace($0, place) } }
                let (before, after) = (row(in: old), row(in: new))
                if before == after { continue }
                let now = row(in: current.rows(table.name))
                switch (before, after, now) {
                case (nil, let after?, nil): result.place(after, in: table)
                case (let before?, nil, let now?) where before == now: result.delete(now, in: table)
                case (let before?, let after?, var now?):
                    result.delete(now, in: table)
                    for column in table.storedColumns where before.values[column] != after.values[column] {
                        if now.values[column] != before.values[column] { return .conflict }
                        now.values[column] = after.values[column]
                    }
                    now.values = table.withGenerated(now.values)
                    result.place(now, in: table)
                default: return .conflict
                }
            }
        }
        return result.hasKeyViolation || result.hasForeignKeyViolation ? .conflict : .content(result)
    }
}

extension Model {
    fileprivate mutating func delete(_ row: Row, in spec: TableSpec) {
        tables[spec.name]!.rows.removeAll { spec.isAtSamePlace($0, row) }
    }
}
