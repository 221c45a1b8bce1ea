public import AmalgamCore

/// A new value for a column, in an UPDATE statement: <https://sqlite.org/lang_update.html>.
///
/// ```swift
/// try Player.updateAll(db) { [$0.score += 10, $0.bonus.set(to: nil)] }
/// // UPDATE "player" SET "score" = "score" + 10, "bonus" = NULL
/// ```
public struct ColumnAssignment: Sendable {
    /// The name of the column.
    package let columnName: String

    /// The value; nil for a column that keeps its own.
    package let value: SQLExpression?
}

extension ColumnAssignment {
    /// Writes `"score" = "score" + 10`.
    package func write(to writer: inout SQLWriter) throws {
        writer.append(columnName.quotedDatabaseIdentifier)
        writer.append(" = ")
        try (value ?? Column(columnName).sqlExpression).node.write(to: &writer)
    }
}

extension ColumnExpression {
    /// The value of the column becomes another one.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.score.set(to: 0) }
    /// // UPDATE "player" SET "score" = 0
    /// ```
    public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
        ColumnAssignment(columnName: name, value: value?.sqlExpression ?? DatabaseValue.null.sqlExpression)
    }

    /// The column of a row that exists already keeps its value, in an upsert.
    ///
    /// ```swift
    /// let player = try player.upsertAndFetch(db, onConflict: ["name"], doUpdate: { _ in
    ///     [Column("createdAt").noOverwrite]
    /// })
    /// ```
    public var noOverwrite: ColumnAssignment { ColumnAssignment(columnName: name, value: nil) }
}

// MARK: - Operators

extension ColumnExpression {
    /// Adds a value: `"score" = "score" + 10`.
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column + value)
    }

    /// Subtracts a value: `"score" = "score" - 10`.
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column - value)
    }

    /// Multiplies by a value: `"score" = "score" * 2`.
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column * value)
    }

    /// Divides by a value: `"score" = "score" / 2`.
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column / value)
    }

    /// Keeps the bits that a value has: `"flags" = "flags" & 6`.
    public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column & value)
    }

    /// Adds the bits of a value: `"flags" = "flags" | 6`.
    public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column | value)
    }

    /// Shifts bits to the left: `"flags" = "flags" << 1`.
    public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column << value)
    }

    /// Shifts bits to the right: `"flags" = "flags" >> 1`.
    public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column >> value)
    }
}
