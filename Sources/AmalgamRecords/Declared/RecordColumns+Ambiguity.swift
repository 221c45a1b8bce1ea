import AmalgamCore

// Properties of a record and of the types that it embeds may have one column by mistake, also by a strategy that names
// columns, or by `#if` clauses. One value would be lost.

extension _RecordColumns {
    /// Returns the error of a type with two properties that have the same column.
    static func ambiguity(
        of type: Any.Type, _ properties: [Property?], _ names: [String], _ embedded: [Int: _RecordColumns]
    ) -> DatabaseError? {
        let all = properties.indices.flatMap { number -> [String] in
            if properties[number] == nil { return [] }
            return embedded[number]?.allNames ?? [names[number]]
        }
        var found: Set<TableName> = []
        guard let name = all.first(where: { !found.insert(TableName($0)).inserted }) else { return nil }
        let cure =
            embedded.isEmpty
            ? #"give one of them a different name, '@Column("a")'"#
            : #"give an embedded one a prefix, '@Embedded(prefix: "a_")'"#
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "two properties of \(type) have the column \(name.quotedDatabaseIdentifier): \(cure)")
    }

    private var allNames: [String] {
        properties.indices.flatMap { number -> [String] in
            if properties[number] == nil { return [] }
            return embedded[number]?.allNames ?? [columnNames[number]]
        }
    }
}
