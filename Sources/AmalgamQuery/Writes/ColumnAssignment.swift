public import AmalgamCore

/// The assignment of a new value to a column, in an UPDATE statement: <https://sqlite.org/lang_update.html>.
///
/// ```swift
/// try Player.updateAll(db) { [$0.score += 10, $0.bonus.set(to: nil)] }
/// // UPDATE "player" SET "score" = "score" + 10, "bonus" = NULL
/// ```
public struct ColumnAssignment: Sendable {
    /// The name of the column.
    package let columnName: String

    /// The new value; nil if the value of the column doesn't change.
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
    /// Returns the assignment of a value to the column.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.score.set(to: 0) }
    /// // UPDATE "player" SET "score" = 0
    /// ```
    public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
        ColumnAssignment(columnName: name, value: value?.sqlExpression ?? DatabaseValue.null.sqlExpression)
    }

    /// An assignment for upserts that leaves the column of an existing row unchanged.
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
    /// Adds a value to the column: `"score" = "score" + 10`.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.score += 10 }
    /// // UPDATE "player" SET "score" = "score" + 10
    /// ```
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column + value)
    }

    /// Subtracts a value from the column: `"score" = "score" - 10`.
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column - value)
    }

    /// Multiplies the column by a value: `"score" = "score" * 2`.
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column * value)
    }

    /// Divides the column by a value: `"score" = "score" / 2`.
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column / value)
    }

    /// Assigns the bitwise AND of the column and a value: `"flags" = "flags" & 6`.
    public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column & value)
    }

    /// Assigns the bitwise OR of the column and a value: `"flags" = "flags" | 6`.
    public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column | value)
    }

    /// Shifts the bits of the column to the left: `"flags" = "flags" << 1`.
    public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column << value)
    }

    /// Shifts the bits of the column to the right: `"flags" = "flags" >> 1`.
    public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column >> value)
    }
}
