/// What stands in a FROM clause: a table, a view, a common table expression.
package protocol SQLSource: Sendable {
    /// The name in the database, or of the common table expression.
    var name: String { get }

    /// The names of the columns that `*` stands for, from left to right.
    func columnNames(_ db: Database) throws -> [String]

    /// The number of columns that `*` stands for.
    func columnCount(_ db: Database) throws -> Int

    /// The columns that tell rows apart; nil when none are known to, as in a view.
    func primaryKey(_ db: Database) throws -> PrimaryKeyInfo?
}

/// A source in the FROM clause of one statement, and how this statement writes its columns.
///
/// The same expression is written `"score"`, `"player"."score"` or `"player2"."score"`, after the scope it is written
/// in: expressions are never rewritten.
package struct SQLScope: Sendable {
    /// What the columns belong to.
    package let source: any SQLSource

    /// The name of the source in this statement.
    package let name: String

    /// Whether the statement writes columns with the name of the source: it does when there is more than one, or
    /// when the user chose the name.
    package var isQualified: Bool

    /// How many statements the statement is nested in.
    fileprivate(set) var level = 0

    package init(_ source: any SQLSource, name: String, isQualified: Bool) {
        self.source = source
        self.name = name
        self.isQualified = isQualified
    }
}

/// A table that an alias referred to from inside a nested statement.
struct OuterReference: Hashable {
    /// The name of the table in its statement.
    let name: TableName

    /// How many statements the statement of the table is nested in.
    let level: Int
}

/// The scopes of the statement being written, and of the statements around it.
struct SQLScopes {
    /// The scope that columns belong to; nil where columns have no table, as in the definition of a table.
    var current: SQLScope?

    /// The scopes that expressions refer to by an alias.
    var aliases: [ObjectIdentifier: SQLScope] = [:]

    /// How many statements the current one is nested in.
    var level = -1
}

extension SQLWriter {
    /// The scope that columns belong to.
    package var scope: SQLScope? { scopes.current }

    /// The scope that an alias stands for; nil for an alias of no table of the statement, nor of those around it.
    ///
    /// A statement nested in another one writes the columns of that one with their table.
    package mutating func scope(of alias: ObjectIdentifier) -> SQLScope? {
        guard var scope = scopes.aliases[alias] else { return nil }
        if scope.level < scopes.level {
            scope.isQualified = true
            outerReferences.insert(OuterReference(name: TableName(scope.name), level: scope.level))
        }
        return scope
    }

    /// Whether a table of the current statement, or of a statement around it, has an alias and one of these names.
    package func hasAliasedTable(named names: Set<TableName>) -> Bool {
        scopes.aliases.values.contains { names.contains(TableName($0.name)) }
    }

    /// Runs a closure that writes a nested statement.
    ///
    /// - Returns: the names of the tables around that statement which its aliases refer to.
    package mutating func referencesToOuterTables(
        _ body: (inout SQLWriter) throws -> Void
    ) rethrows -> Set<TableName> {
        let earlier = outerReferences
        outerReferences = []
        defer { outerReferences.formUnion(earlier) }
        try body(&self)
        return Set(outerReferences.filter { $0.level <= scopes.level }.map(\.name))
    }

    /// Whether a table of the statement, or of those around it, has a name.
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

    /// Makes a scope the one that columns belong to, from now on.
    package mutating func enter(_ scope: SQLScope) { scopes.current = scope }

    /// Writes in another scope; nil for columns without table.
    package mutating func within(_ scope: SQLScope?, _ body: (inout SQLWriter) throws -> Void) rethrows {
        let outer = scopes.current
        scopes.current = scope
        defer { scopes.current = outer }
        try body(&self)
    }

    /// Writes with more aliases.
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

    /// Writes a statement, which may be nested in another one.
    ///
    /// - Parameter aliases: the scopes that expressions of this statement refer to.
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
