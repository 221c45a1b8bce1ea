/// A source of a FROM clause: a table, a view or a common table expression.
package protocol SQLSource: Sendable {
    /// The name of the table or view in the database, or of the common table expression.
    var name: String { get }

    /// Returns the names of the columns that `*` stands for, from left to right.
    func columnNames(_ db: Database) throws -> [String]

    /// Returns the number of columns that `*` stands for.
    func columnCount(_ db: Database) throws -> Int

    /// Returns the columns that identify rows; nil if they are unknown, as in a view.
    func primaryKey(_ db: Database) throws -> PrimaryKeyInfo?
}

/// A source in the FROM clause of one statement, and the form in which this statement writes its columns.
///
/// The same expression is written as `"score"`, `"player"."score"` or `"player2"."score"`, depending on the current
/// scope. Expressions are never rewritten.
package struct SQLScope: Sendable {
    /// The table or other source of the columns.
    package let source: any SQLSource

    /// The name of the source in this statement.
    package let name: String

    /// Whether the statement writes columns with the name of the source: if it has several sources, or if the
    /// application chose the name.
    package var isQualified: Bool

    /// The number of statements around the scope's statement.
    fileprivate(set) var level = 0

    package init(_ source: any SQLSource, name: String, isQualified: Bool) {
        self.source = source
        self.name = name
        self.isQualified = isQualified
    }
}

/// A table of an outer statement, to which an alias in a nested statement has referred.
struct OuterReference: Hashable {
    /// The name of the table in its statement.
    let name: TableName

    /// The number of statements around the table's statement.
    let level: Int
}

/// The scopes of the statement being written, and of the statements around it.
struct SQLScopes {
    /// The scope of columns; nil where columns have no table, as in the definition of a table.
    var current: SQLScope?

    /// The scopes to which expressions refer by an alias.
    var aliases: [ObjectIdentifier: SQLScope] = [:]

    /// The number of statements around the current one.
    var level = -1
}

extension SQLWriter {
    /// The scope of columns.
    package var scope: SQLScope? { scopes.current }

    /// Returns the scope of an alias; nil if the alias belongs to no table of this statement or the statements around
    /// it.
    ///
    /// A nested statement writes the columns of outer statements with the names of their tables.
    package mutating func scope(of alias: ObjectIdentifier) -> SQLScope? {
        guard var scope = scopes.aliases[alias] else { return nil }
        if scope.level < scopes.level {
            scope.isQualified = true
            outerReferences.insert(OuterReference(name: TableName(scope.name), level: scope.level))
        }
        return scope
    }

    /// Returns whether a table of the current statement, or of a statement around it, has an alias and one of these
    /// names.
    package func hasAliasedTable(named names: Set<TableName>) -> Bool {
        scopes.aliases.values.contains { names.contains(TableName($0.name)) }
    }

    /// Runs a closure that writes a nested statement.
    ///
    /// - Returns: the names of the outer tables to which the aliases in the nested statement refer.
    package mutating func referencesToOuterTables(
        _ body: (inout SQLWriter) throws -> Void
    ) rethrows -> Set<TableName> {
        let earlier = outerReferences
        outerReferences = []
        defer { outerReferences.formUnion(earlier) }
        try body(&self)
        return Set(outerReferences.filter { $0.level <= scopes.level }.map(\.name))
    }

    /// Returns whether a table of the current statement, or of a statement around it, has this name.
    package func hasTable(named name: String) -> Bool {
        scopes.current?.name == name || scopes.aliases.values.contains { $0.name == name }
    }

    /// Writes the name of a column of the current scope.
    package mutating func append(column name: String) {
        if let scope, scope.isQualified {
            append(scope.name.quotedDatabaseIdentifier)
            append(".")
        }
        append(name.quotedDatabaseIdentifier)
    }

    /// Sets the scope of the columns written from now on.
    package mutating func enter(_ scope: SQLScope) { scopes.current = scope }

    /// Runs a closure that writes in a different scope; nil for columns without a table.
    package mutating func within(_ scope: SQLScope?, _ body: (inout SQLWriter) throws -> Void) rethrows {
        let outer = scopes.current
        scopes.current = scope
        defer { scopes.current = outer }
        try body(&self)
    }

    /// Runs a closure that writes with additional aliases.
    package mutating func binding(
        _ aliases: [ObjectIdentifier: SQLScope], _ body: (inout SQLWriter) throws -> Void
    ) rethrows {
        let outer = scopes.aliases
        defer { scopes.aliases = outer }
        for (alias, var scope) in aliases {
            scope.level = scopes.level
            scopes.aliases[alias] = scope
        }
        try body(&self)
    }

    /// Runs a closure that writes a statement, which may be nested in another statement.
    ///
    /// - Parameters:
    ///   - aliases: the scopes to which expressions of this statement refer by an alias.
    ///   - body: writes the statement.
    package mutating func statement(
        aliases: [ObjectIdentifier: SQLScope] = [:], _ body: (inout SQLWriter) throws -> Void
    ) rethrows {
        let outer = scopes
        defer { scopes = outer }
        scopes.level += 1
        scopes.current = nil
        try binding(aliases, body)
    }
}
