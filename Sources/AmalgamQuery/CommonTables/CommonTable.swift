import AmalgamCore

/// The definition of a common table expression: `"name"("column") AS (SELECT …)`.
struct CommonTable: Sendable {
    let source: CommonTableSource
    let isRecursive: Bool

    /// Writes `"name"("column") AS (SELECT …)`.
    func write(to writer: inout SQLWriter) throws {
        writer.append(source.name.quotedDatabaseIdentifier)
        try writeDefinition(to: &writer)
    }

    /// Writes `("column") AS (SELECT …)`.
    private func writeDefinition(to writer: inout SQLWriter) throws {
        if let columns = source.columns, !columns.isEmpty {
            writer.append("(" + columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ") + ")")
        }
        writer.append(" AS (")
        try source.subquery.write(to: &writer)
        writer.append(")")
    }

    /// Checks that another common table expression of the same name has the same definition, by comparing the SQL and
    /// the arguments of both definitions.
    ///
    /// - Parameter writer: copies of this writer write the definitions.
    /// - Throws: `SQLITE_MISUSE` if the definitions differ.
    func check(isSameAs other: CommonTable, _ writer: SQLWriter) throws {
        var (writer, otherWriter) = (writer, writer)
        try writeDefinition(to: &writer)
        try other.writeDefinition(to: &otherWriter)
        if writer.sql.equalsExactly(otherWriter.sql) && writer.arguments == otherWriter.arguments { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The request defines the common table expression "\(source.name)" twice, and not by the same query. Give \
                one of both definitions another name.
                """)
    }
}

/// A common table expression in a FROM clause.
struct CommonTableSource: SQLSource {
    let name: String

    /// The names of the columns, if the application has specified them.
    let columns: [String]?

    /// The SELECT statement in the definition.
    private let definition: ParenthesisedSubquery

    init(name: String, columns: [String]?, subquery: any SubqueryNode) {
        self.name = name
        self.columns = columns
        definition = ParenthesisedSubquery(subquery: subquery)
    }

    var subquery: any SubqueryNode { definition.subquery }

    var nestedNodes: [any SQLNode] { [definition] }

    func columnNames(_ db: Database) throws -> [String] {
        if let columns, !columns.isEmpty { return columns }
        return try counted { try subquery.columnNames(db) }
    }

    func columnCount(_ db: Database) throws -> Int {
        if let columns, !columns.isEmpty { return columns.count }
        return try counted { try subquery.columnCount(db) }
    }

    func primaryKey(_ db: Database) -> PrimaryKeyInfo? { nil }

    private func counted<T>(_ value: () throws -> T) throws -> T {
        do {
            return try value()
        } catch let error as DatabaseError {
            throw DatabaseError(
                message: """
                    Can't compute the number of columns in the "\(name)" common table expression: \
                    \(error.message ?? error.resultCode.description). Check the syntax of the SQL definition, or \
                    provide the explicit list of selected columns with the `columns` parameter in the \
                    CommonTableExpression initializer.
                    """)
        }
    }
}
