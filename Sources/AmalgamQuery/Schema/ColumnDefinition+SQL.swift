import AmalgamCore

extension ColumnDefinition {
    /// Writes the definition of the column.
    ///
    /// - Parameter definition: the definition of the table that contains the column.
    func write(to writer: inout SQLWriter, of definition: any KeyedDefinition) throws {
        writer.append(name.quotedDatabaseIdentifier)
        if let type { writer.append(" \(type.rawValue)") }
        if let primaryKey {
            writer.append(" PRIMARY KEY", primaryKey.conflictResolution)
            if primaryKey.isAutoincremented { writer.append(" AUTOINCREMENT") }
        }
        if let notNull { writer.append(" NOT NULL", notNull.conflictResolution) }
        if let unique { writer.append(" UNIQUE", unique.conflictResolution) }
        for check in checks { try writer.append(" CHECK (", check, ")") }
        if let defaultValue { try writer.append(defaultValue: defaultValue) }
        if let collationName { writer.append(" COLLATE \(collationName.sqlName)") }
        if let generated {
            try writer.append(" GENERATED ALWAYS AS (", generated.expression, ")")
            writer.append(generated.qualification == .stored ? " STORED" : " VIRTUAL")
        }
        for reference in references {
            writer.append(" ")
            try reference.write(to: &writer, from: definition)
        }
    }

    /// Returns the definition of the column's index, if any.
    func index(on table: String, options: IndexOptions) -> IndexDefinition? {
        guard isIndexed else { return nil }
        return IndexDefinition(
            name: "\(table)_on_\(name)", table: table, terms: [Column(name).sqlExpression], options: options)
    }
}

extension SQLWriter {
    /// Writes a constraint with its conflict clause. ABORT is SQLite's default, and isn't written.
    mutating func append(_ constraint: String, _ conflictResolution: Database.ConflictResolution?) {
        append(constraint)
        if let conflictResolution, conflictResolution != .abort {
            append(" ON CONFLICT \(conflictResolution.rawValue)")
        }
    }

    /// Writes a DEFAULT clause. SQLite requires parentheses around expressions that aren't literals, such as
    /// `CAST(X'6100' AS TEXT)`, which represents a string with a NUL character.
    fileprivate mutating func append(defaultValue: SQLExpression) throws {
        let isCast = (defaultValue.node as? DatabaseValue)?.sqlLiteral.hasPrefix("CAST") ?? false
        try append(isCast ? " DEFAULT (" : " DEFAULT ", defaultValue, isCast ? ")" : "")
    }

    /// Writes an expression between two strings.
    mutating func append(_ start: String, _ expression: SQLExpression, _ end: String) throws {
        append(start)
        try expression.node.write(to: &self)
        append(end)
    }

    /// Writes quoted names between parentheses.
    mutating func append(names: [String]) {
        append("(" + names.map(\.quotedDatabaseIdentifier).joined(separator: ", ") + ")")
    }
}
