/// The text of a short Swift program that fetches the rows of a case.
struct SwiftProgram: CustomStringConvertible {
    private let failing: Case
    /// The declarations of aliases and common table expressions, which come before the request.
    private var declarations: [String] = []
    private var aliases: Set<Int> = []
    private var tables: Set<String> = []
    private(set) var request = ""

    init(_ failing: Case) {
        self.failing = failing
        var aliases: Set<Int> = []
        failing.query.forEachExpression { expression in
            if case .column(let source, _, true) = expression { aliases.insert(source) }
        }
        self.aliases = aliases
        request = text(failing.query)
    }

    var description: String {
        let setup = failing.world.tables.flatMap(\.sql).map { "        \($0);" }
        let aliases = self.aliases.sorted().map { "let t\($0) = TableAlias()" }
        return """
            import Amalgam

            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            try DatabaseQueue(configuration: configuration).write { db in
                try db.execute(
                    sql: \"\"\"
            \(setup.joined(separator: "\n"))
                    \"\"\")
            \((aliases + declarations).map { "    \($0)" }.joined(separator: "\n"))
                let request = \(request)
                for row in try Row.fetchAll(db, request) { print(row.debugDescription) }
            }
            """
    }

    // MARK: - Requests

    mutating func text(_ query: Query) -> String {
        switch query {
        case .select(let select): return text(select)
        case .compound(let compound):
            var text = self.text(compound.first)
            for member in compound.others {
                let other = self.text(member.query)
                text += ".\(member.compoundOperator)(\(other))"
            }
            if !compound.orders.isEmpty {
                let terms = compound.orders.map { "Column(\"c\($0.column)\")" + ($0.isDescending ? ".desc" : "") }
                text += ".order(\(terms.joined(separator: ", ")))"
            }
            return text + limit(compound.limit)
        }
    }

    private func limit(_ limit: Limit?) -> String {
        limit.map { ".limit(\($0.count)" + ($0.offset.map { ", offset: \($0)" } ?? "") + ")" } ?? ""
    }

    private mutating func text(_ select: Select) -> String {
        let table = select.table
        var text: String
        switch table.origin {
        case .table(let name): text = "Table(\"\(name)\").all()"
        case .commonTable(let commonTable): text = declared(commonTable) + ".all()"
        }
        text += clauses(table)
        for commonTable in select.commonTables { text += ".with(\(declared(commonTable)))" }
        if !select.groups.isEmpty {
            text += ".group(\(select.groups.map { self.text($0) }.joined(separator: ", ")))"
        }
        for condition in select.groupFilters { text += ".having(\(self.text(condition)))" }
        if select.isDistinct { text += ".distinct()" }
        return text + limit(select.limit)
    }

    private mutating func declared(_ table: CommonTable) -> String {
        if tables.insert(table.name).inserted {
            let columns = (0..<table.columnCount).map { "\"c\($0)\"" }.joined(separator: ", ")
            var request = text(table.query)
            if let step = table.step {
                request +=
                    ".\(step.isUnionAll ? "unionAll" : "union")(Table(\"\(table.name)\")"
                    + ".select([Column(\"c0\") + \(step.increment)]).filter(Column(\"c0\") < \(step.limit)))"
            }
            let recursive = table.step == nil ? "" : "recursive: true, "
            declarations.append(
                "let \(table.name) = CommonTableExpression("
                    + "\(recursive)named: \"\(table.name)\", columns: [\(columns)], request: \(request))")
        }
        return table.name
    }

    private mutating func clauses(_ table: Branch) -> String {
        var text = aliases.contains(table.source) ? ".aliased(t\(table.source))" : ""
        if let selection = table.selection { text += ".select([\(list(selection))])" }
        if !table.annotations.isEmpty { text += ".annotated(with: [\(list(table.annotations))])" }
        for condition in table.filters { text += ".filter(\(self.text(condition)))" }
        for join in table.joins {
            let association = self.text(join.association, join.table)
            let call =
                switch join.mode {
                case .includingRequired: ".including(required: \(association))"
                case .includingOptional: ".including(optional: \(association))"
                case .includingAll: ".including(all: \(association))"
                case .joiningRequired: ".joining(required: \(association))"
                case .joiningOptional: ".joining(optional: \(association))"
                case .annotatedWithRequired: ".annotated(withRequired: \(association))"
                case .annotatedWithOptional: ".annotated(withOptional: \(association))"
                }
            text += call
        }
        for join in table.aggregates {
            let association = self.text(join.association, join.table)
            for use in join.uses { text += self.text(use, association) }
        }
        if !table.orders.isEmpty { text += ".order(\(table.orders.map { self.text($0) }.joined(separator: ", ")))" }
        return text + (table.isReversed ? ".reversed()" : "")
    }

    private mutating func list(_ selection: [Selected]) -> String {
        selection.map { text($0.expression, isOperand: $0.key != nil) + ($0.key.map { ".forKey(\"\($0)\")" } ?? "") }
            .joined(separator: ", ")
    }

    // MARK: - Associations

    private mutating func text(_ association: Association, _ table: Branch) -> String {
        var text: String
        let step = association.step
        if let pivot = association.pivot {
            let kind = association.isToMany ? "hasMany" : "hasOne"
            let first = self.text(pivot.step) + clauses(pivot.table)
            text = "Table(\"\(pivot.step.origin)\").\(kind)(Row.self, through: \(first), using: \(self.text(step)), "
            text += "key: \"\(step.key)\")"
        } else if case .commonTable(let commonTable) = table.origin {
            text = "Table(\"\(step.origin)\").association(to: \(declared(commonTable)), "
            text += "on: { $0[\"\(step.originColumn)\"] == $1[\"\(step.destinationColumn)\"] }).forKey(\"\(step.key)\")"
        } else {
            text = self.text(step)
        }
        return text + clauses(table)
    }

    private func text(_ step: Association.Step) -> String {
        let isOrigin = step.kind == .belongsTo
        let (from, to) =
            isOrigin ? (step.originColumn, step.destinationColumn) : (step.destinationColumn, step.originColumn)
        let key = step.isInferred ? "" : ", using: ForeignKey([\"\(from)\"], to: [\"\(to)\"])"
        return "Table(\"\(step.origin)\").\(step.kind)(Table(\"\(step.destination)\"), key: \"\(step.key)\"\(key))"
    }

    private func text(_ use: AggregatedJoin.Use, _ association: String) -> String {
        let call =
            switch use.name {
            case .count, .isEmpty: "\(association).\(use.name)"
            default: "\(association).\(use.name)(Column(\"\(use.column)\"))"
            }
        guard let (comparison, limit) = use.condition else { return ".annotated(with: \(call).forKey(\"\(use.key)\"))" }
        return ".having(\(call) \(comparison.rawValue) \(limit))"
    }
}
