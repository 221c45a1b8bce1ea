/// A source of a FROM clause: a table, a view or a common table expression.
package protocol SQLSource: Sendable {
    /// The name of the table or view in the database, or of the common table expression.
    var name: String { get }

    /// The nodes that the source contains, such as the arguments of a table-valued function: see ``SQLNode/nestedNodes``.
    var nestedNodes: [any SQLNode] { get }

    /// Returns the names of the columns that `*` stands for, from left to right.
    func columnNames(_ db: Database) throws -> [String]

    /// Returns the number of columns that `*` stands for.
    func columnCount(_ db: Database) throws -> Int

    /// Returns the columns that identify rows; nil if they are unknown, as in a view.
    func primaryKey(_ db: Database) throws -> PrimaryKeyInfo?
}

/// A source in the FROM clause of one statement, such as a table, with the name that qualifies the source's columns.
///
/// The same expression is written as `"score"`, `"player"."score"` or `"player2"."score"`, depending on the current
/// scope.
package struct SQLScope: Sendable {
    /// The table or other source of the columns.
    package let source: any SQLSource

    /// The name of the source in this statement.
    package let name: String

    /// Whether columns are written with the name of the source, as in `"player"."score"`. True if the statement has
    /// several sources, or if the application has chosen the name.
    package var isQualified: Bool

    /// The nesting depth of the scope's statement: 0 for the outermost statement.
    fileprivate(set) var level = 0

    package init(_ source: any SQLSource, name: String, isQualified: Bool) {
        self.source = source
        self.name = name
        self.isQualified = isQualified
    }
}

/// A table of an outer statement to which a nested statement refers by an alias.
struct OuterReference: Hashable {
    /// The name of the table in its statement.
    let name: TableName

    /// The nesting depth of the table's statement: 0 for the outermost statement.
    let level: Int
}

/// The scopes of the statement being written, and of the statements around it.
struct SQLScopes {
    /// The scope whose columns are written; nil where columns have no table, as in the definition of a table.
    var current: SQLScope?

    /// The scopes to which expressions refer by an alias.
    var aliases: [ObjectIdentifier: SQLScope] = [:]

    /// The nesting depth of the current statement: 0 for the outermost statement, -1 outside of statements.
    var level = -1
}

extension SQLWriter {
    /// The scope whose columns are written: a source of the FROM clause.
    package var scope: SQLScope? { scopes.current }

    /// Returns the scope of the table that has an alias; nil if no table of the current or of an outer statement has
    /// this alias.
    ///
    /// If the table belongs to an outer statement, the returned scope is qualified: the columns of the table are
    /// written as `"player"."score"`.
    package mutating func scope(of alias: ObjectIdentifier) -> SQLScope? {
        guard var scope = scopes.aliases[alias] else { return nil }
        if scope.level < scopes.level {
            scope.isQualified = true
            outerReferences.insert(OuterReference(name: TableName(scope.name), level: scope.level))
        }
        return scope
    }

    /// Returns whether a table with one of these names has an alias, in the current statement or an outer statement.
    package func hasAliasedTable(named names: Set<TableName>) -> Bool {
        scopes.aliases.values.contains { names.contains(TableName($0.name)) }
    }

    /// Runs a closure that writes a nested statement.
    ///
    /// - Returns: the names of the tables of outer statements to which the nested statement refers by an alias.
    package mutating func referencesToOuterTables(
        _ body: (inout SQLWriter) throws -> Void
    ) rethrows -> Set<TableName> {
        let earlier = outerReferences
        outerReferences = []
        defer { outerReferences.formUnion(earlier) }
        try body(&self)
        return Set(outerReferences.filter { $0.level <= scopes.level }.map(\.name))
    }

    /// Returns whether a table of the current statement, or of an outer statement, has this name.
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

    /// Sets the scope of the columns that are written next.
    package mutating func enter(_ scope: SQLScope) { scopes.current = scope }

    /// Runs a closure that writes columns of a different scope, or, if it is nil, columns without a table.
    package mutating func within(_ scope: SQLScope?, _ body: (inout SQLWriter) throws -> Void) rethrows {
        let outer = scopes.current
        scopes.current = scope
        defer { scopes.current = outer }
        try body(&self)
    }

    /// Runs a closure that writes SQL in which additional aliases are known.
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
